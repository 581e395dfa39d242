import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import { sendAll } from './send-all';
import type { Outgoing, SendOptions } from './send-all';
import type { ReportMessage } from '../../src/contract/report-message';
import { reportDeduplicationId } from '../../src/contract/report-message';
import { withinDeadline } from '../shared/within-deadline';
import type { ReportQueue } from '../stolen/ports';

/** The report queue, on SQS FIFO, during one invocation. */
export function reportQueue(options: SendOptions): ReportQueue {
  return {
    send: (reports) => sendAll(reports, { kind: 'reports', entryOf: reportEntry, shown }, options),
    postpone: async (receiptHandle, seconds) => {
      const { client, queueUrl, deadline } = options;
      const command = new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: Math.ceil(seconds) });
      await withinDeadline(deadline, 'postponing a report', (abortSignal) => client.send(command, { abortSignal }));
    },
  };
}

const shown = (reports: readonly ReportMessage[]) => ({ runners: reports.map(({ runnerName }) => runnerName) });

function reportEntry(report: ReportMessage): ReturnType<Outgoing<ReportMessage>['entryOf']> {
  return { MessageBody: JSON.stringify(report), MessageGroupId: report.runnerName, MessageDeduplicationId: reportDeduplicationId(report) };
}
