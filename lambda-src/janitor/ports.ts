import type { CandidateMessage } from '../../src/contract/candidate-message';

/** One registration as GitHub shows it. `status` is a free string there; only `online` and `offline` mean anything to us. */
export interface Registration {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly busy: boolean;
  readonly labels: readonly string[];
  /** key of the group it is in now; undefined where the answer does not say (older GHES) */
  readonly groupKey: string | undefined;
}

/** A place that lists registrations: a runner group, or a repository, which has no groups. */
export interface RunnerGroup {
  /** the group's id in decimal, or `owner/name` of a repository: what a candidate remembers */
  readonly key: string;
  readonly name: string;
}

export interface RegistrationPage {
  readonly registrations: readonly Registration[];
  /** GitHub's own count of the whole group at the time of this page */
  readonly totalCount: number;
  readonly hasNext: boolean;
}

/**
 * GitHub during one invocation. Every method throws one of `shared/errors` when the answer is not certain:
 * `DeadlineError`, `QuotaReserveError`, `LimitError`, `TransientError`, `PermissionError`, `NotFoundError`, `NoCredentialError`, and
 * `delete` alone `ReadAgainError`.
 */
export interface Registrations {
  /** configured groups that the latest list did not have, as a person would write them: `'spot'`, `with id 7` */
  readonly missingGroups: readonly string[];
  /** the configured groups that exist */
  listGroups(): Promise<readonly RunnerGroup[]>;
  /** pages count from 1 */
  readPage(group: RunnerGroup, page: number): Promise<RegistrationPage>;
  /**
   * `gone`: 404 from a credential that has read this very group with 200 in this invocation. Any other 404 is `unproven`:
   * it may as well be a missing permission.
   */
  find(group: RunnerGroup, id: number): Promise<Registration | 'gone' | 'unproven'>;
  /**
   * Everything in the scope, whatever its group, whose name is exactly this one. One request (one for each repository), more of them only
   * where the server ignores the filter. A repository that cannot be asked is an error only if no other one has the name.
   */
  findByName(name: string): Promise<readonly Registration[]>;
  /**
   * Waits until the credential that deletes may write again, since GitHub wants a second between two writes of one App, and has a token
   * for it. To be called before the last read, so that nothing stands between that read and the DELETE.
   */
  turnToDelete(group: RunnerGroup): Promise<void>;
  /**
   * Never waits, neither for its turn nor for a token: not certain also when no credential may write yet, and a `ReadAgainError` when it
   * may be once a credential has a token that works.
   */
  delete(group: RunnerGroup, id: number): Promise<DeleteAnswer>;
}

/**
 * `deleted` 204, `becameBusy` 422 whatever its text, `refused` a 403 that is no rate limit, `alreadyGone` a 404 from a credential that has
 * read this very group, or has seen this very registration, with 200 in this invocation.
 */
export type DeleteAnswer = 'deleted' | 'alreadyGone' | 'becameBusy' | 'refused';

/** What is known of a machine. Whatever is not certain is `unknown`, which never leads to a deletion. */
export type MachineState = 'present' | 'terminated' | 'absent' | 'unknown';

/** The compute provider. */
export interface Machines {
  /** undefined: the name is not one that the provider gives its machines, so the registration is not ours */
  resourceIdOf(runnerName: string): string | undefined;
  /** Never throws; an id that is missing in the answer is `unknown`. */
  lookup(ids: readonly string[]): Promise<ReadonlyMap<string, MachineState>>;
  /** Every name that the runner of a machine may have; none where the id is not one of the provider's. */
  namesOf(id: string): readonly string[];
  /** Whether the machine carries all of these tags, in whatever state it is. Never throws: what cannot be found out is false. */
  carries(id: string, tags: Readonly<Record<string, string>>): Promise<boolean>;
}

/** The confirmation queue. */
export interface CandidateQueue {
  /** Returns the candidates that did not get onto the queue; never throws. */
  send(candidates: readonly CandidateMessage[]): Promise<readonly CandidateMessage[]>;
  /** Nominates runners by name alone. Returns the names that did not get onto the queue; never throws. */
  nominate(runnerNames: readonly string[]): Promise<readonly string[]>;
  /** Makes a received message invisible for so many seconds more. */
  postpone(receiptHandle: string, seconds: number): Promise<void>;
}

/** Structured log; every verdict goes through it with its reason. */
export interface Log {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}
