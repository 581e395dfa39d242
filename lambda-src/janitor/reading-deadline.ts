import { DEADLINE_MARGIN_SECONDS } from '../../src/contract/limits';
import type { Deadline } from '../shared/deadline';

/** The queue takes nothing inside the margin; before it there is a tenth of a second for each of a hundred batches, the most that one run sends. */
const TIME_TO_QUEUE = (DEADLINE_MARGIN_SECONDS + 10) * 1000;

declare const forReading: unique symbol;

/**
 * The end of everything that a first look does, or waits for, before it queues. A type of its own, because under the deadline of the
 * invocation one slow page would use up the time in which what was found can still be queued.
 */
export type ReadingDeadline = Deadline & { readonly [forReading]: true };

export function readingDeadline(invocation: Deadline): ReadingDeadline {
  return invocation.earlier(TIME_TO_QUEUE) as ReadingDeadline;
}
