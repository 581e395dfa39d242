import { setTimeout as sleep } from 'node:timers/promises';
import type { VirtualClock } from '../cloud/virtual-clock';

/** Lets virtual time pass while a function does nothing but wait, so that a minute's wait costs a moment. */
export class PassingTime {
  private moved: Promise<void> = Promise.resolve();
  private readonly unlisten: () => void;

  constructor(private readonly clock: VirtualClock) {
    this.unlisten = clock.onSleep((until) => this.enqueue(() => Math.max(0, until - this.clock.now()) / 1000));
  }

  /** An arrow function, so that it can be handed on as it is. */
  readonly pass = (seconds: number): void => this.enqueue(() => seconds);

  /** Runs the work; each time a request hangs, `seconds` pass, until its sender has given up. */
  async whileHanging<T>(hangs: () => number, seconds: number, work: Promise<T>): Promise<T> {
    let done = false;
    const finished = work.finally(() => { done = true; });
    for (let seen = hangs(); !done; await Promise.race([finished, sleep(10)])) {
      if (hangs() === seen) continue;
      seen++;
      // answers to parallel requests are still on their way to a function that must not take them for late
      await sleep(50);
      await this.clock.advance(seconds);
    }
    return finished;
  }

  /** Resolves when the clock stands still again. */
  async settle(): Promise<void> {
    await this.moved;
  }

  stop(): void {
    this.unlisten();
  }

  private enqueue(seconds: () => number): void {
    this.moved = this.moved.then(() => this.clock.advance(seconds()));
  }
}
