interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Time that stands still while anybody works, and moves to the next wake-up when everybody sleeps. */
export class VirtualTime {
  private time = Date.parse('2026-01-01T00:00:00Z');
  private readonly sleepers: Sleeper[] = [];
  private awake = 0;

  readonly now = (): number => this.time;

  /** To be called by whoever `run` has started, and by one at a time in each of them. */
  readonly sleep = async (milliseconds: number): Promise<void> => {
    const until = this.time + Math.max(0, milliseconds);
    await new Promise<void>((wake) => {
      const behind = this.sleepers.findIndex((other) => other.until > until);
      this.sleepers.splice(behind < 0 ? this.sleepers.length : behind, 0, { until, wake });
      this.rest();
    });
  };

  /** Resolves when all of them have come to their end. */
  async run(workers: ReadonlyArray<() => Promise<void>>): Promise<void> {
    this.awake += workers.length;
    await Promise.all(workers.map(async (work) => {
      try {
        await work();
      } finally {
        this.rest();
      }
    }));
  }

  private rest(): void {
    this.awake -= 1;
    if (this.awake > 0) return;
    const next = this.sleepers.shift();
    if (!next) return;
    this.time = next.until;
    this.awake += 1;
    next.wake();
  }
}
