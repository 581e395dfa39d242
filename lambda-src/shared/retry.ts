import type { Deadline } from './deadline';
import { TransientError } from './errors';

export type Sleep = (milliseconds: number) => Promise<void>;

export interface RetryPorts {
  readonly deadline: Deadline;
  readonly sleep: Sleep;
  readonly random: () => number;
}

const ATTEMPTS = 3;
const BASE_DELAY = 500;

/** Tries a transient failure again, with growing jittered pauses and never past the deadline. Every other error goes through at once. */
export async function retrying<T>(ports: RetryPorts, what: string, attempt: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    ports.deadline.check(what);
    try {
      return await attempt();
    } catch (error) {
      const pause = BASE_DELAY * 2 ** tried * (0.5 + ports.random() / 2);
      if (!(error instanceof TransientError) || tried >= attempts || !ports.deadline.isOpen(pause)) throw error;
      await ports.sleep(pause);
    }
  }
}
