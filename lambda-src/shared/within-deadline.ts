import { abortable } from './abortable';
import type { Deadline } from './deadline';
import { describeError, TransientError } from './errors';

/**
 * One outbound call, bounded by the deadline, whose every failure says nothing about the thing asked for.
 *
 * @throws DeadlineError when it may not be started any more
 * @throws TransientError with what the call has thrown as its cause
 */
export async function withinDeadline<T>(deadline: Deadline, what: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  deadline.check(what);
  try {
    return await abortable(deadline.signal(), call);
  } catch (cause) {
    throw new TransientError(`${what}: ${describeError(cause)}`, { cause });
  }
}
