import type { Bounds } from './bounds';
import { boundsOfDrain } from './drain-bounds';
import { drainPlan } from './drain-plan';
import { DrainStage } from './drain-stage';
import { openBatch } from '../../lambda-src/janitor/confirm';
import { discover } from '../../lambda-src/janitor/discover';
import { readingDeadline } from '../../lambda-src/janitor/reading-deadline';
import type { Outcome } from '../../src/contract/janitor-metrics';
import { CONFIRMATION, CONFIRMATION_CONCURRENCY, DISCOVERY } from '../../src/contract/limits';

const GHOSTS = 10_000;
const LIVING = 300;

/** A drain that takes longer has failed. */
const LONGEST_HOURS = 24;

/** How long Lambda waits at an empty queue before it asks again. */
const LONG_POLLING_MS = 20_000;

/** Both looks, in virtual time, at a GitHub that enforces its limits: how close the janitor gets to them, and that it never runs into one. */
export async function benchDrain(bounds: Bounds, apps: number, quotaReserve: number): Promise<void> {
  bounds.section(`Draining ${GHOSTS.toLocaleString('en-US')} ghosts with ${apps} App${apps > 1 ? 's' : ''} and a reserve of ${100 * quotaReserve} %, in virtual time`);
  const plan = drainPlan({ apps, quotaReserve, ghosts: GHOSTS, living: LIVING });
  const stage = await DrainStage.start(plan);
  try {
    stage.populate(GHOSTS, LIVING);
    const drain = new Drain(stage, plan.intervalSeconds * 1000);
    const started = Date.now();
    await drain.run();
    bounds.note('real time', (Date.now() - started) / 1000, ' s');
    boundsOfDrain(bounds, plan, stage, drain);
  } finally {
    await stage.stop();
  }
}

/** The schedule, and confirmations that take from the queue whatever is due; each function runs in a process of its own. */
export class Drain {
  firstLooks = 0;
  /** read by first looks */
  pages = 0;
  readonly outcomes: Partial<Record<Outcome, number>> = {};
  private readonly startedAt: number;
  private endedAt: number | undefined;

  constructor(private readonly stage: DrainStage, private readonly interval: number) {
    this.startedAt = stage.time.now();
  }

  /** From the first look to the last deletion. */
  get hours(): number {
    return ((this.endedAt ?? this.stage.time.now()) - this.startedAt) / 3_600_000;
  }

  async run(): Promise<void> {
    const confirmations = Array.from({ length: CONFIRMATION_CONCURRENCY }, () => () => this.confirm());
    await this.stage.time.run([() => this.schedule(), ...confirmations]);
  }

  private get isOver(): boolean {
    if (this.stage.github.deletions.length === this.stage.ghosts.size) this.endedAt ??= this.stage.time.now();
    return this.endedAt !== undefined || this.hours > LONGEST_HOURS;
  }

  private async schedule(): Promise<void> {
    const { time } = this.stage;
    const invoke = this.stage.sandbox(DISCOVERY.timeoutSeconds, false, readingDeadline);
    for (let next = time.now() + this.interval; !this.isOver; next += this.interval) {
      const { ports, policy } = await invoke();
      const report = await discover(ports, policy);
      this.firstLooks += 1;
      this.pages += report.pagesRead;
      await time.sleep(next - time.now());
    }
  }

  private async confirm(): Promise<void> {
    const { time, queue } = this.stage;
    const invoke = this.stage.sandbox(CONFIRMATION.timeoutSeconds, true, (deadline) => deadline);
    while (!this.isOver) {
      const received = queue.receive();
      if (received.length === 0) {
        await time.sleep(LONG_POLLING_MS);
        continue;
      }
      const { ports, policy } = await invoke();
      const batch = await openBatch(ports, policy, received);
      const settled: string[] = [];
      for (const { messageId } of received) if (await batch.settle(messageId)) settled.push(messageId);
      // as Lambda does it: when the function has answered
      settled.forEach((messageId) => queue.delete(messageId));
      this.count(batch.report.outcomes);
    }
  }

  private count(outcomes: Drain['outcomes']): void {
    for (const [outcome, count] of Object.entries(outcomes) as [Outcome, number][]) this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + count;
  }
}
