import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import type { SendMessageBatchRequestEntry, SQSClient } from '@aws-sdk/client-sqs';
import type { Log } from '../janitor/ports';
import { abortable } from '../shared/abortable';
import type { Deadline } from '../shared/deadline';
import { describeError } from '../shared/errors';

/** SQS takes no larger batch. */
const BATCH_SIZE = 10;

export interface SendOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly deadline: Deadline;
  readonly log: Log;
}

/** How one kind of item becomes a message, and how the log speaks of it. */
export interface Outgoing<T> {
  readonly kind: 'candidates' | 'reports';
  readonly entryOf: (item: T) => Omit<SendMessageBatchRequestEntry, 'Id'>;
  /** what the log shows of items */
  readonly shown: (items: readonly T[]) => Record<string, unknown>;
}

/** Returns what did not get onto the queue; a batch that fails leaves the others alone. Never throws. */
export async function sendAll<T>(items: readonly T[], outgoing: Outgoing<T>, options: SendOptions): Promise<readonly T[]> {
  const unsent: T[] = [];
  for (let start = 0; start < items.length; start += BATCH_SIZE) {
    unsent.push(...await sendBatch(items.slice(start, start + BATCH_SIZE), outgoing, options));
  }
  return unsent;
}

async function sendBatch<T>(batch: readonly T[], { kind, entryOf, shown }: Outgoing<T>, options: SendOptions): Promise<readonly T[]> {
  const { client, queueUrl, deadline, log } = options;
  const command = new SendMessageBatchCommand({
    QueueUrl: queueUrl,
    Entries: batch.map((item, index) => ({ Id: String(index), ...entryOf(item) })),
  });
  try {
    deadline.check(`queueing ${kind}`);
    const answer = await abortable(deadline.signal(), (abortSignal) => client.send(command, { abortSignal }));
    // only what SQS confirms counts as sent: the call succeeds with a list of failures, and a foreign 200 confirms nothing
    const sent = new Set(answer.Successful?.map((entry) => entry.Id));
    const unsent = batch.filter((_, index) => !sent.has(String(index)));
    if (unsent.length > 0) {
      const reasons = [...new Set(answer.Failed?.map((entry) => `${entry.Code}: ${entry.Message}`))];
      log.warn(`${kind} were refused by the queue`, { ...shown(unsent), reasons });
    }
    return unsent;
  } catch (error) {
    log.warn(`${kind} could not be queued`, { ...shown(batch), error: describeError(error) });
    return batch;
  }
}
