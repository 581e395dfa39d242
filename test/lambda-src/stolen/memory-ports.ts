import type { Execution, Executions, Job, Jobs, KnownPickUp, Ledger, MissingJob, PickUp, RecordedJob, StartAnswer, StartedRunner } from '../../../lambda-src/stolen/ports';

type Call = { readonly what: string; readonly key: string };

/** Step Functions in memory; kept honest by the contract test that the real adapter passes too. */
export class MemoryExecutions implements Executions {
  readonly calls: Call[] = [];
  readonly started: string[] = [];
  readonly all = new Map<string, Execution>();
  /** thrown by the next calls, one each */
  readonly faults: unknown[] = [];

  async find(name: string): Promise<Execution | undefined> {
    this.calls.push({ what: 'find', key: name });
    this.fail();
    return this.all.get(name);
  }

  async start(name: string, input: string): Promise<StartAnswer> {
    this.calls.push({ what: 'start', key: name });
    this.fail();
    const known = this.all.get(name);
    if (known) return known.input === input ? 'alreadyStarted' : 'taken';
    this.all.set(name, { name, input, life: 'running', endedAt: undefined });
    this.started.push(name);
    return 'started';
  }

  private fail(): void {
    const [fault] = this.faults.splice(0, 1);
    if (fault) throw fault;
  }
}

/** The table in memory; kept honest by the contract test that the real adapter passes too. */
export class MemoryLedger implements Ledger {
  readonly reads: Call[] = [];
  private readonly jobs = new Map<number, { runners: Set<string>; labels: Set<string> }>();
  private readonly pickUps = new Map<string, PickUp>();
  private readonly announced = new Set<string>();
  private readonly claims = new Map<string, Set<string>>();

  constructor(private readonly now: () => number = Date.now) {}

  async job(jobId: number): Promise<RecordedJob | undefined> {
    this.reads.push({ what: 'job', key: String(jobId) });
    const job = this.jobs.get(jobId);
    return job && { id: jobId, runners: [...job.runners], labels: job.labels.size > 0 ? [...job.labels] : undefined };
  }

  async pickUp(runnerName: string): Promise<KnownPickUp | undefined> {
    this.reads.push({ what: 'pickUp', key: runnerName });
    const pickUp = this.pickUps.get(runnerName);
    return pickUp && { ...pickUp, isConcluded: this.announced.has(runnerName) };
  }

  async recordRunner({ jobId, runnerName, labels = [] }: StartedRunner): Promise<void> {
    const job = this.jobs.get(jobId) ?? { runners: new Set(), labels: new Set() };
    job.runners.add(runnerName);
    for (const label of labels) job.labels.add(label);
    this.jobs.set(jobId, job);
  }

  async recordPickUp(pickUp: PickUp): Promise<boolean> {
    if (this.pickUps.has(pickUp.runnerName)) return false;
    this.pickUps.set(pickUp.runnerName, pickUp);
    return true;
  }

  async claimReplacement(runnerName: string, maxPerHour: number): Promise<boolean> {
    const hour = new Date(this.now()).toISOString().slice(0, 13);
    const names = this.claims.get(hour) ?? new Set();
    if (!names.has(runnerName) && names.size >= maxPerHour) return false;
    this.claims.set(hour, names.add(runnerName));
    return true;
  }

  async announce(runnerName: string): Promise<boolean> {
    if (this.announced.has(runnerName)) return false;
    this.announced.add(runnerName);
    return true;
  }
}

/** GitHub in memory. */
export class MemoryJobs implements Jobs {
  readonly calls: Call[] = [];
  readonly all = new Map<number, Job>();
  readonly notInstalled = new Set<string>();
  readonly idle = new Set<string>();
  /** thrown by the next calls that ask about this repository, one each */
  readonly faults = new Map<string, unknown[]>();
  withToken = false;

  /** A job that nobody has picked up yet. */
  queue(id: number, repository: string): void {
    if (!this.all.has(id)) this.all.set(id, { id, repository, runId: undefined, runnerName: undefined, startedAt: undefined, labels: undefined });
  }

  async findInRun(repository: string, runId: number, runnerName: string): Promise<Job | MissingJob> {
    this.ask('findInRun', repository, runId);
    if (this.notInstalled.has(repository)) return this.withToken ? 'unverifiable' : 'notInstalled';
    return [...this.all.values()].find((job) => job.repository === repository && job.runId === runId && job.runnerName === runnerName) ?? 'notListed';
  }

  async find(repository: string, jobId: number): Promise<Job | undefined> {
    this.ask('find', repository, jobId);
    const job = this.all.get(jobId);
    return job?.repository === repository && !this.notInstalled.has(repository) ? job : undefined;
  }

  async isIdle(repository: string, runnerName: string): Promise<boolean> {
    this.ask('isIdle', repository, runnerName);
    return this.idle.has(runnerName);
  }

  private ask(what: string, repository: string, about: string | number): void {
    this.calls.push({ what, key: `${repository}#${about}` });
    const [fault] = this.faults.get(repository)?.splice(0, 1) ?? [];
    if (fault) throw fault;
  }
}
