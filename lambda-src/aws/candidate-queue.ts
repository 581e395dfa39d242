import { createHash } from 'node:crypto';
import { ChangeMessageVisibilityCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import type { SendMessageBatchRequestEntry, SQSClient } from '@aws-sdk/client-sqs';
import type { CandidateMessage, NominationMessage } from '../../src/contract/candidate-message';
import { MESSAGE_VERSION } from '../../src/contract/candidate-message';
import type { CandidateQueue, Log } from '../janitor/ports';
import { abortable } from '../shared/abortable';
import type { Deadline } from '../shared/deadline';
import { describeError, TransientError } from '../shared/errors';

/** SQS takes no larger batch. */
const BATCH_SIZE = 10;

/** SQS hides no message for longer: 12 hours. */
const MAX_VISIBILITY_SECONDS = 43_200;

export interface CandidateQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly deadline: Deadline;
  /** number of the schedule interval: the same registration is queued once in each */
  readonly slot: number;
  readonly log: Log;
}

/** The confirmation queue, on SQS FIFO, during one invocation. */
export function candidateQueue(options: CandidateQueueOptions): CandidateQueue {
  return {
    send: (candidates) => sendAll(candidates, (candidate) => candidateEntry(candidate, options.slot), options),
    nominate: (runnerNames) => sendAll(runnerNames, nominationEntry, options),
    postpone: (receiptHandle, seconds) => postpone(receiptHandle, seconds, options),
  };
}

type Entry = Omit<SendMessageBatchRequestEntry, 'Id'>;

/** Returns what did not get onto the queue; a batch that fails leaves the others alone. */
async function sendAll<T>(items: readonly T[], entryOf: (item: T) => Entry, options: CandidateQueueOptions): Promise<readonly T[]> {
  const unsent: T[] = [];
  for (let start = 0; start < items.length; start += BATCH_SIZE) {
    unsent.push(...await sendBatch(items.slice(start, start + BATCH_SIZE), entryOf, options));
  }
  return unsent;
}

async function sendBatch<T>(batch: readonly T[], entryOf: (item: T) => Entry, options: CandidateQueueOptions): Promise<readonly T[]> {
  const { client, queueUrl, deadline, log } = options;
  const command = new SendMessageBatchCommand({
    QueueUrl: queueUrl,
    Entries: batch.map((item, index) => ({ Id: String(index), ...entryOf(item) })),
  });
  try {
    deadline.check('queueing candidates');
    const answer = await abortable(deadline.signal(), (abortSignal) => client.send(command, { abortSignal }));
    // only what SQS confirms counts as sent: the call succeeds with a list of failures, and a foreign 200 confirms nothing
    const sent = new Set(answer.Successful?.map((entry) => entry.Id));
    const unsent = batch.filter((_, index) => !sent.has(String(index)));
    if (unsent.length > 0) {
      const reasons = [...new Set(answer.Failed?.map((entry) => `${entry.Code}: ${entry.Message}`))];
      log.warn('candidates were refused by the queue', { candidates: unsent.map(shown), reasons });
    }
    return unsent;
  } catch (error) {
    log.warn('candidates could not be queued', { candidates: batch.map(shown), error: describeError(error) });
    return batch;
  }
}

/** A candidate, or a name that is nominated. */
function shown(item: unknown): unknown {
  return typeof item === 'string' ? item : (item as CandidateMessage).runner;
}

function candidateEntry(candidate: CandidateMessage, slot: number): Entry {
  const { runner, mode } = candidate;
  const place = placeOf(candidate);
  return {
    MessageBody: JSON.stringify(candidate),
    // a group for each registration: a message that keeps failing blocks nobody else's
    MessageGroupId: `${place}#${runner.id}`,
    // SQS drops a duplicate silently; with the mode in it, what a dry run queued never swallows what an armed run queues
    MessageDeduplicationId: `${place}#${runner.id}#${mode}#${slot}`,
  };
}

function nominationEntry(runnerName: string): Entry {
  const message: NominationMessage = { version: MESSAGE_VERSION, kind: 'nomination', runnerName };
  return {
    MessageBody: JSON.stringify(message),
    MessageGroupId: runnerName,
    // the several states that a dying machine goes through are one nomination
    MessageDeduplicationId: `nomination#${runnerName}`,
  };
}

/** Scope and group in 32 characters: runner ids are unique in an organization, but not over several repositories. */
function placeOf({ scope, group }: CandidateMessage): string {
  return createHash('sha256').update(JSON.stringify([scope, group.key])).digest('hex').slice(0, 32);
}

async function postpone(receiptHandle: string, seconds: number, { client, queueUrl, deadline }: CandidateQueueOptions): Promise<void> {
  const command = new ChangeMessageVisibilityCommand({
    QueueUrl: queueUrl,
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: Math.min(MAX_VISIBILITY_SECONDS, Math.max(0, Math.ceil(seconds))),
  });
  deadline.check('postponing a message');
  try {
    await abortable(deadline.signal(), (abortSignal) => client.send(command, { abortSignal }));
  } catch (cause) {
    throw new TransientError(`a message could not be postponed: ${describeError(cause)}`, { cause });
  }
}
