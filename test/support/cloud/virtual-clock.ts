/** Told about every move; resolves once the move is in force. */
export type ClockFollower = (offset: number) => Promise<void>;

/** The time that everything in the local cloud agrees on: the machine's own, plus an offset that only grows. */
export class VirtualClock {
  private readonly followers = new Set<ClockFollower>();
  private readonly sleepers = new Set<(until: number) => void>();
  private moved = 0;

  /** milliseconds ahead of the machine's own clock */
  get offset(): number {
    return this.moved;
  }

  /** An arrow function, so that it can be handed on as it is. */
  readonly now = (): number => Date.now() + this.moved;

  /** Lets so many seconds pass at once, everywhere. */
  async advance(seconds: number): Promise<void> {
    this.moved += seconds * 1000;
    await Promise.all([...this.followers].map((follow) => follow(this.moved)));
  }

  /** Calls back whenever a process has gone to sleep for more than a moment, with the time at which it wants to wake. @returns a function that ends it */
  onSleep(listener: (until: number) => void): () => void {
    this.sleepers.add(listener);
    return () => this.sleepers.delete(listener);
  }

  /** To be told by whoever hears of it. */
  asleep(until: number): void {
    for (const listener of this.sleepers) listener(until);
  }

  /** @returns a function that ends it */
  follow(follower: ClockFollower): () => void {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }
}
