/** Told about every move; resolves once the move is in force. */
export type ClockFollower = (offset: number) => Promise<void>;

/** The time that everything in the local cloud agrees on: the machine's own, plus an offset that only grows. */
export class VirtualClock {
  private readonly followers = new Set<ClockFollower>();
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

  /** @returns a function that ends it */
  follow(follower: ClockFollower): () => void {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }
}
