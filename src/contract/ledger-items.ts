/**
 * The rows of the detector's table. Public and versioned: whoever starts runners writes job rows (`grantRecordRunners`), before the
 * runner starts, with one additive and idempotent request:
 *
 * ```
 * UpdateItem  Key { pk: "job#<job id>" }
 *             ADD runners :name, labels :labels  SET #ttl = :ttl
 *             :name { SS: ["<runner name>"] }  :labels { SS: ["linux", "large"] }  :ttl { N: "<now + RUNNER_TRACKER_TTL_SECONDS>" }
 * ```
 */

/** A change of what a row means gets another prefix, so that old and new writers can live side by side. */
export const LEDGER_KEYS = {
  job: (jobId: number): string => `job#${jobId}`,
  runner: (runnerName: string): string => `runner#${runnerName}`,
  /** replacements that were started in one hour of the clock, UTC: `hour#2026-05-01T10` */
  hour: (hour: string): string => `hour#${hour}`,
} as const;

/** Names of the attributes; `pk` is the only key. */
export const LEDGER_ATTRIBUTES = {
  key: 'pk',
  /** N, seconds since the epoch. DynamoDB deletes days late, so a reader ignores rows whose time is over. */
  ttl: 'ttl',
  /** job rows, SS: every runner that was started for the job, replacements too */
  runners: 'runners',
  /** job rows, SS: the labels those runners have; left out when unknown */
  labels: 'labels',
  /** runner rows, N: the job the runner picked up; left out when only the repository is known */
  jobId: 'jobId',
  /** runner rows, S: `owner/name` */
  repository: 'repository',
  /** runner rows, N: the workflow run */
  runId: 'runId',
  /** runner rows, BOOL: the robbery was reported where no start of an execution marks the first time */
  announced: 'announced',
  /** hour rows, SS: the names started in that hour */
  started: 'started',
} as const;

/** Three days: a job waits for a runner at most 24 hours, a run lives longer than that only through its other jobs. */
export const LEDGER_TTL_SECONDS = 3 * 24 * 60 * 60;
