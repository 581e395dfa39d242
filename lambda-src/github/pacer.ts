import { CONFIRMATION_CONCURRENCY } from '../../src/contract/limits';
import type { Clock } from '../shared/deadline';

/** GitHub wants a second between writes; confirmations that run side by side know nothing of each other. */
const GAP_MS = CONFIRMATION_CONCURRENCY * 1000;

/**
 * Keeps the writes of one App apart, as GitHub asks of its users; lives as long as the function's process.
 * https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#pause-between-mutative-requests
 */
export class Pacer {
  private last = -Infinity;

  constructor(private readonly now: Clock) {}

  /** Milliseconds until the next write may start. */
  get pause(): number {
    // a clock that was set back must not stop the deletions until it has caught up
    return Math.min(GAP_MS, Math.max(0, this.last + GAP_MS - this.now()));
  }

  /** To be called when a write starts: whoever has waited and then does not write costs the next one no time. */
  writes(): void {
    this.last = this.now();
  }
}
