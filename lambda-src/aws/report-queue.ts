import { ChangeMessageVisibilityCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { ReportMessage } from '../../src/contract/report-message';
import { reportDeduplicationId } from '../../src/contract/report-message';
import { abortable } from '../shared/abortable';
import type { Deadline } from '../shared/deadline';
import { describeError, TransientError } from '../shared/errors';
import type { Log, ReportQueue } from '../stolen/ports';

/** SQS takes no larger batch. */
const BATCH_SIZE = 10;

export interface ReportQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly deadline: Deadline;
  readonly log: Log;
}

/** The report queue, on SQS FIFO, during one invocation. */
export function reportQueue(options: ReportQueueOptions): ReportQueue {
  return {
    send: async (reports) => {
      const unsent: ReportMessage[] = [];
      for (let start = 0; start < reports.length; start += BATCH_SIZE) {
        unsent.push(...await sendBatch(reports.slice(start, start + BATCH_SIZE), options));
      }
      return unsent;
    },
    postpone: async (receiptHandle, seconds) => {
      const { client, queueUrl, deadline } = options;
      const command = new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: Math.ceil(seconds) });
      deadline.check('postponing a report');
      try {
        await abortable(deadline.signal(), (abortSignal) => client.send(command, { abortSignal }));
      } catch (cause) {
        throw new TransientError(`a report could not be postponed: ${describeError(cause)}`, { cause });
      }
    },
  };
}

async function sendBatch(batch: readonly ReportMessage[], options: ReportQueueOptions): Promise<readonly ReportMessage[]> {
  const { client, queueUrl, deadline, log } = options;
  const runners = (reports: readonly ReportMessage[]) => reports.map(({ runnerName }) => runnerName);
  const command = new SendMessageBatchCommand({
    QueueUrl: queueUrl,
    Entries: batch.map((report, index) => ({
      Id: String(index),
      MessageBody: JSON.stringify(report),
      MessageGroupId: report.runnerName,
      MessageDeduplicationId: reportDeduplicationId(report),
    })),
  });
  try {
    deadline.check('queueing reports');
    const answer = await abortable(deadline.signal(), (abortSignal) => client.send(command, { abortSignal }));
    // the call succeeds with a list of failures: only what SQS confirms counts as sent
    const sent = new Set(answer.Successful?.map((entry) => entry.Id));
    const unsent = batch.filter((_, index) => !sent.has(String(index)));
    if (unsent.length > 0) {
      const reasons = [...new Set(answer.Failed?.map((entry) => `${entry.Code}: ${entry.Message}`))];
      log.warn('reports were refused by the queue', { runners: runners(unsent), reasons });
    }
    return unsent;
  } catch (error) {
    log.warn('reports could not be queued', { runners: runners(batch), error: describeError(error) });
    return batch;
  }
}
