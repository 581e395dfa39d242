import { Fleet } from './fleet';
import type { ReportMessage } from '../../../src/contract/report-message';

/** One step of a history; the numbers choose among whatever is possible at that moment. */
export interface Move {
  readonly kind: 'job' | 'spaciousJob' | 'pick' | 'steal' | 'die' | 'cancel' | 'end' | 'again' | 'read' | 'repeat' | 'forgeRun' | 'forgeRepository';
  readonly first: number;
  readonly second: number;
  readonly channel: 'log' | 'signed' | 'both' | 'lost';
}

interface Runner {
  readonly name: string;
  readonly job: number;
  state: 'idle' | 'busy' | 'ended' | 'dead';
  /** it has run a job before: what it was started for is paid */
  worked: boolean;
  heard: boolean;
}

interface Job {
  readonly id: number;
  /** what it needs */
  readonly large: boolean;
  /** what the runner that is started for it has */
  readonly onLarge: boolean;
  state: 'open' | 'picked' | 'cancelled';
}

interface Pending {
  readonly report: ReportMessage;
  /** undefined: still on its first way */
  readonly firstReceivedAt: number | undefined;
}

const OUTSIDER = 'other/tools';
const FOREIGN = 'foreign/secret';
const LABELS = { small: 'self-hosted,linux', large: 'self-hosted,linux,large' };

/**
 * A fleet under GitHub's own rule: a queued job goes to any idle runner whose labels fit. What really happened is counted here,
 * independent of what the detector makes of the reports.
 */
export class History {
  readonly fleet = new Fleet({ maxReplacements: 9, maxReplacementsPerHour: 1000 });
  readonly truth = {
    outsiders: 0,
    debts: 0,
    labelGaps: 0,
    unusedDeaths: 0,
    /** thefts of any kind of which no report ever came */
    unheard: 0,
  };
  private readonly runners = new Map<string, Runner>();
  private readonly jobs = new Map<number, Job>();
  /** a lineage came to its end: from then on the detector promises nothing */
  gaveUp = false;
  private readonly pending: Pending[] = [];
  private read: ReportMessage[] = [];
  private ids = 100;

  get open(): readonly Job[] {
    return [...this.jobs.values()].filter(({ state }) => state === 'open');
  }

  async play(moves: readonly Move[]): Promise<void> {
    for (const move of moves) {
      this.fleet.now += 1000 + (move.first % 90) * 1000;
      await this.step(move);
    }
  }

  /** Every report is read, and GitHub gives every open job to whoever idles and fits, until nothing changes any more. */
  async settle(): Promise<void> {
    for (let changed = true; changed;) {
      await this.readAll();
      this.fleet.now += 60_000;
      changed = this.pick({ kind: 'pick', first: 0, second: 0, channel: 'both' });
    }
  }

  private async step(move: Move): Promise<void> {
    switch (move.kind) {
      case 'job': return this.newJob(move.first % 3 === 0);
      case 'spaciousJob': return this.newJob(false, true);
      case 'pick': return void this.pick(move);
      case 'steal': return this.steal(move);
      case 'die': return this.die(move);
      case 'cancel': return this.cancel(move);
      case 'end': return this.end(move);
      case 'again': return this.again(move);
      case 'read': return this.readSome(move);
      case 'repeat': return this.repeat(move);
      case 'forgeRun': return this.forge(choose([...this.runners.values()], move.first), OUTSIDER);
      case 'forgeRepository': return this.forge(choose(this.defended(), move.first), FOREIGN);
    }
  }

  private async newJob(large: boolean, onLarge = large): Promise<void> {
    const id = this.ids++;
    const name = `R${id}`;
    this.jobs.set(id, { id, large, onLarge, state: 'open' });
    this.runners.set(name, { name, job: id, state: 'idle', worked: false, heard: false });
    this.fleet.jobs.idle.add(name);
    await this.fleet.start(name, id, { labels: onLarge ? LABELS.large : LABELS.small, jobLabels: large ? LABELS.large : LABELS.small });
  }

  private pick(move: Move): boolean {
    const pairs = this.open.flatMap((job) => this.idle().filter((runner) => this.isLarge(runner) || !job.large).map((runner) => ({ job, runner })));
    const pair = choose(pairs, move.first * 31 + move.second);
    if (!pair) return false;
    const { job, runner } = pair;
    if (runner.job !== job.id && !runner.worked) {
      const own = [...this.runners.values()].filter((other) => other.job === job.id);
      const isDebt = own.every(({ state }) => state === 'dead');
      const isLabelGap = !isDebt && this.jobs.get(runner.job)!.large && !job.onLarge;
      if (isDebt) this.truth.debts += 1;
      if (isLabelGap) this.truth.labelGaps += 1;
      if ((isDebt || isLabelGap) && move.channel === 'lost') this.truth.unheard += 1;
    }
    job.state = 'picked';
    this.occupy(runner, job.id, 'acme/app', move);
    return true;
  }

  private steal(move: Move): void {
    const runner = choose(this.idle(), move.first);
    if (!runner) return;
    if (!runner.worked) {
      this.truth.outsiders += 1;
      if (move.channel === 'lost') this.truth.unheard += 1;
    }
    this.occupy(runner, this.ids++, OUTSIDER, move);
  }

  private occupy(runner: Runner, jobId: number, repository: string, { channel }: Move): void {
    runner.state = 'busy';
    runner.worked = true;
    this.fleet.jobs.idle.delete(runner.name);
    const options = { repository, startedAt: this.fleet.now };
    const log = this.fleet.picks(runner.name, jobId, options);
    if (channel === 'log' || channel === 'both') this.send(log);
    if (channel === 'signed' || channel === 'both') this.send(this.fleet.signed(runner.name, jobId, options));
  }

  private die(move: Move): void {
    const runner = choose(this.idle(), move.first);
    if (!runner) return;
    if (!runner.worked) this.truth.unusedDeaths += 1;
    runner.state = runner.worked ? 'ended' : 'dead';
    this.fleet.jobs.idle.delete(runner.name);
    this.fleet.end(runner.name, 'failed');
  }

  private cancel(move: Move): void {
    const job = choose(this.open, move.first);
    if (job) job.state = 'cancelled';
  }

  /** A machine that is lost at work before anybody heard of that work cannot be told from one that never worked. */
  private end(move: Move): void {
    const runner = choose([...this.runners.values()].filter(({ state }) => state === 'busy'), move.first);
    if (!runner) return;
    runner.state = 'ended';
    this.fleet.end(runner.name, runner.heard && move.second % 2 === 0 ? 'failed' : 'succeeded');
  }

  /** A machine is lost at work, and the state machine tries again under the same name; the other way round nobody could know which job was first. */
  private again(move: Move): void {
    const runner = choose([...this.runners.values()].filter(({ state, heard }) => state === 'busy' && heard), move.first);
    if (!runner) return;
    runner.state = 'idle';
    this.fleet.jobs.idle.add(runner.name);
  }

  private async readSome(move: Move): Promise<void> {
    const count = 1 + move.first % 5;
    const offset = move.second % Math.max(1, this.pending.length);
    await this.deliver(this.pending.splice(offset, count));
  }

  private async repeat(move: Move): Promise<void> {
    const report = choose(this.read, move.first);
    if (report) await this.deliver([{ report, firstReceivedAt: undefined }]);
  }

  /** A line that some job prints: its run shows no such runner, or its repository is one that our App cannot see. */
  private async forge(runner: Runner | undefined, repository: string): Promise<void> {
    this.fleet.jobs.notInstalled.add(FOREIGN);
    if (runner) this.adopt((await this.fleet.deliver([{ version: 1, source: 'log', runnerName: runner.name, repository, runId: 1 }])).started);
  }

  private send(report: ReportMessage): void {
    this.pending.push({ report, firstReceivedAt: undefined });
  }

  private async readAll(): Promise<void> {
    while (this.pending.length > 0) {
      await this.deliver(this.pending.splice(0, 10));
      this.fleet.now += 30_000;
    }
  }

  private async deliver(batch: readonly Pending[]): Promise<void> {
    if (batch.length === 0) return;
    const { now } = this.fleet;
    const { started, counts, returned } = await this.fleet.deliver(batch.map(({ report }) => report), {
      waited: batch.map(({ firstReceivedAt = now }) => (now - firstReceivedAt) / 1000),
    });
    this.gaveUp ||= counts.gaveUp !== undefined;
    for (const { report, firstReceivedAt = now } of batch) {
      this.read.push(report);
      // with both of one runner where only one has to wait: a copy more changes nothing
      if (returned.includes(report.runnerName)) this.pending.push({ report, firstReceivedAt });
    }
    for (const { report: { runnerName } } of batch) {
      const runner = this.runners.get(runnerName);
      if (runner && runner.state !== 'idle') runner.heard = true;
    }
    this.adopt(started);
  }

  private adopt(started: readonly string[]): void {
    for (const name of started) {
      const { input } = this.fleet.executions.all.get(name)!;
      this.runners.set(name, { name, job: (JSON.parse(input) as { jobId: number }).jobId, state: 'idle', worked: false, heard: false });
      this.fleet.jobs.idle.add(name);
    }
  }

  /** Runners for which something speaks: they idle, or run their own job. */
  private defended(): readonly Runner[] {
    return [...this.runners.values()].filter(({ name, job, state }) => state === 'idle' || this.fleet.jobs.all.get(job)?.runnerName === name);
  }

  private idle(): readonly Runner[] {
    return [...this.runners.values()].filter(({ state }) => state === 'idle');
  }

  private isLarge({ job }: Runner): boolean {
    return this.jobs.get(job)!.onLarge;
  }
}

function choose<T>(from: readonly T[], number: number): T | undefined {
  return from.length === 0 ? undefined : from[number % from.length];
}
