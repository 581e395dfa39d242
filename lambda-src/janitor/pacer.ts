import type { Clock, Deadline } from '../shared/deadline';
import { DeadlineError } from '../shared/errors';
import type { Sleep } from '../shared/retry';

/** Keeps writes apart, as GitHub asks of its users; lives as long as the function's process. */
export class Pacer {
  private last = -Infinity;

  /** `gap` in milliseconds between the starts of two writes of this process */
  constructor(private readonly gap: number, private readonly now: Clock, private readonly sleep: Sleep) {}

  /** Waits until a write may start. @throws DeadlineError when that is too late */
  async wait(deadline: Deadline): Promise<void> {
    // a clock that was set back must not stop the deletions until it has caught up
    const pause = Math.min(this.gap, Math.max(0, this.last + this.gap - this.now()));
    if (!deadline.isOpen(pause)) throw new DeadlineError('no time left for the pause before the next DELETE');
    if (pause > 0) await this.sleep(pause);
  }

  /** To be called when the write starts: whoever has waited and then does not write costs the next one no time. */
  writes(): void {
    this.last = this.now();
  }
}
