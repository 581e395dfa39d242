import { createHash } from 'node:crypto';
import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import { sendAll } from './send-all';
import type { Outgoing, SendOptions } from './send-all';
import type { CandidateMessage, NominationMessage } from '../../src/contract/candidate-message';
import { MESSAGE_VERSION } from '../../src/contract/candidate-message';
import type { CandidateQueue } from '../janitor/ports';
import { withinDeadline } from '../shared/within-deadline';

/** SQS hides no message for longer: 12 hours. */
const MAX_VISIBILITY_SECONDS = 43_200;

export interface CandidateQueueOptions extends SendOptions {
  /** number of the schedule interval: the same registration is queued once in each */
  readonly slot: number;
}

/** The confirmation queue, on SQS FIFO, during one invocation. */
export function candidateQueue(options: CandidateQueueOptions): CandidateQueue {
  return {
    send: (candidates) => sendAll(candidates, { kind: 'candidates', entryOf: (candidate) => candidateEntry(candidate, options.slot), shown }, options),
    nominate: (runnerNames) => sendAll(runnerNames, { kind: 'candidates', entryOf: nominationEntry, shown }, options),
    postpone: (receiptHandle, seconds) => postpone(receiptHandle, seconds, options),
  };
}

type Entry = ReturnType<Outgoing<unknown>['entryOf']>;

/** Candidates, or names that are nominated. */
const shown = (items: readonly (CandidateMessage | string)[]) => ({
  candidates: items.map((item) => (typeof item === 'string' ? item : item.runner)),
});

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
  await withinDeadline(deadline, 'postponing a message', (abortSignal) => client.send(command, { abortSignal }));
}
