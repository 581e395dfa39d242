import type { ReportMessage } from '../../src/contract/report-message';

/** A run of the state machine; its name is the runner's name. */
export interface Execution {
  readonly name: string;
  /** exactly as it was given */
  readonly input: string;
  readonly life: 'running' | 'succeeded' | 'failed';
  /** milliseconds since the epoch; undefined while it runs */
  readonly endedAt: number | undefined;
}

/**
 * `started`: this call started it. `alreadyStarted`: an earlier call did, with the same input. `taken`: the name belongs to
 * an execution with another input.
 */
export type StartAnswer = 'started' | 'alreadyStarted' | 'taken';

/** The state machine that starts runners. Every method throws one of `shared/errors` when the answer is not certain. */
export interface Executions {
  /** undefined: there is no execution of that name */
  find(name: string): Promise<Execution | undefined>;
  start(name: string, input: string): Promise<StartAnswer>;
}

/** A job as GitHub shows it. */
export interface Job {
  readonly id: number;
  /** `owner/name` */
  readonly repository: string;
  readonly runId: number | undefined;
  /** undefined: nobody has picked it up */
  readonly runnerName: string | undefined;
  /** milliseconds since the epoch */
  readonly startedAt: number | undefined;
  /** the labels it asks for */
  readonly labels: readonly string[] | undefined;
}

/**
 * `notListed`: the run was read, or does not exist, and no job of it names the runner. `notInstalled`: our App is not
 * installed on that repository. `unverifiable`: 404 for a token, which cannot tell the one from the other.
 */
export type MissingJob = 'notListed' | 'notInstalled' | 'unverifiable';

/** GitHub. Every method throws one of `shared/errors` when the answer is not certain. */
export interface Jobs {
  /** the job of that run, whatever its attempt, that the runner picked up */
  findInRun(repository: string, runId: number, runnerName: string): Promise<Job | MissingJob>;
  /** undefined: GitHub does not know the job, or does not show it to us */
  find(repository: string, jobId: number): Promise<Job | undefined>;
  /** whether a runner of exactly that name is registered where the repository's runners are, online and not busy */
  isIdle(repository: string, runnerName: string): Promise<boolean>;
}

/** A job that runners were started for. */
export interface RecordedJob {
  readonly id: number;
  /** every runner that was started for it, replacements too */
  readonly runners: readonly string[];
  /** the labels those runners have; undefined: unknown */
  readonly labels: readonly string[] | undefined;
}

/** What a runner picked up; without a job id when only the repository is known. */
export interface PickUp {
  readonly runnerName: string;
  readonly jobId: number | undefined;
  readonly repository: string | undefined;
  readonly runId: number | undefined;
}

export interface KnownPickUp extends PickUp {
  /** the theft was announced, so that nothing is left to be done */
  readonly isConcluded: boolean;
}

export interface StartedRunner {
  readonly jobId: number;
  readonly runnerName: string;
  readonly labels: readonly string[] | undefined;
}

/** The table. Reads are consistent, writes additive and idempotent; every method throws `TransientError` when it fails. */
export interface Ledger {
  job(jobId: number): Promise<RecordedJob | undefined>;
  pickUp(runnerName: string): Promise<KnownPickUp | undefined>;
  recordRunner(runner: StartedRunner): Promise<void>;
  /** The first pick-up of a runner stays: a runner runs one job. True: this was the first. */
  recordPickUp(pickUp: PickUp): Promise<boolean>;
  /** Whether one more replacement may start in this hour; the same name is counted once. */
  claimReplacement(runnerName: string, maxPerHour: number): Promise<boolean>;
  /** True for the first call for a runner, so that a robbery seen twice is announced once. */
  announce(runnerName: string): Promise<boolean>;
}

/** The report queue. */
export interface ReportQueue {
  /** Returns the reports that did not get onto the queue; never throws. */
  send(reports: readonly ReportMessage[]): Promise<readonly ReportMessage[]>;
  /** Makes a received message invisible for so many seconds more. */
  postpone(receiptHandle: string, seconds: number): Promise<void>;
}

/** Structured log; every verdict goes through it with its reason. */
export interface Log {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}
