import { DeadlineError } from './errors';
import { DEADLINE_MARGIN_SECONDS, REQUEST_TIMEOUT_SECONDS } from '../../src/contract/limits';

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** The end of one invocation, or of a part of it, and what may still be started before it. */
export class Deadline {
  static after(milliseconds: number, now: Clock = Date.now): Deadline {
    return new Deadline(now() + milliseconds, now);
  }

  private seenAt: number;

  private constructor(private endsAt: number, private readonly now: Clock) {
    this.seenAt = now();
  }

  /** For work after which something else still has to be done: ends so many milliseconds before this one. */
  earlier(milliseconds: number): Deadline {
    return new Deadline(this.endsAt - milliseconds, this.now);
  }

  /** Milliseconds until the end, never negative. */
  get remaining(): number {
    const now = this.now();
    // a clock that is set back gives an invocation no more time
    this.endsAt -= Math.max(0, this.seenAt - now);
    this.seenAt = now;
    return Math.max(0, this.endsAt - now);
  }

  /** Whether anything new may be started; `after` more milliseconds, if given. */
  isOpen(after = 0): boolean {
    return this.remaining - after > DEADLINE_MARGIN_SECONDS * 1000;
  }

  /** Throws when nothing new may be started. */
  check(what: string): void {
    if (!this.isOpen()) throw new DeadlineError(`no time left for ${what}`);
  }

  /** For a step that must leave time to those behind it: it starts nothing new once it has used up a third of what is left. */
  share(): Deadline {
    const margin = DEADLINE_MARGIN_SECONDS * 1000;
    return new Deadline(this.now() + margin + (this.remaining - margin) / 3, this.now);
  }

  /** Aborts one outbound call, including the reading of its body. */
  signal(): AbortSignal {
    return AbortSignal.timeout(Math.min(REQUEST_TIMEOUT_SECONDS * 1000, this.remaining));
  }
}
