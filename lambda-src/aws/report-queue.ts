import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import { sendAll } from './send-all';
import type { Outgoing, SendOptions } from './send-all';
import type { ReportMessage } from '../../src/contract/report-message';
import { reportDeduplicationId } from '../../src/contract/report-message';
import { abortable } from '../shared/abortable';
import { describeError, TransientError } from '../shared/errors';
import type { ReportQueue } from '../stolen/ports';

/** The report queue, on SQS FIFO, during one invocation. */
export function reportQueue(options: SendOptions): ReportQueue {
  return {
    send: (reports) => sendAll(reports, { kind: 'reports', entryOf: reportEntry, shown }, options),
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

const shown = (reports: readonly ReportMessage[]) => ({ runners: reports.map(({ runnerName }) => runnerName) });

function reportEntry(report: ReportMessage): ReturnType<Outgoing<ReportMessage>['entryOf']> {
  return { MessageBody: JSON.stringify(report), MessageGroupId: report.runnerName, MessageDeduplicationId: reportDeduplicationId(report) };
}
