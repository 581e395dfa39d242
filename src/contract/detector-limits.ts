/** Numbers of the detector that both sides agree on. Durations are in seconds. */

/** A runner that was started for a job is replaced so often, then the detector gives up. One digit, as the name's suffix is. */
export const REPLACEMENTS = { default: 3, min: 1, max: 9 } as const;

/** The names of one hour stand in one item, which DynamoDB limits to 400 kB. */
export const REPLACEMENTS_PER_HOUR = { default: 20, min: 1, max: 1000 } as const;

export const INTAKE = { timeoutSeconds: 30, memoryMiB: 256 } as const;

export const JUDGE = { timeoutSeconds: 30, memoryMiB: 256, batchSize: 10, maxConcurrency: 2 } as const;

/** GitHub itself waits 10 seconds; the rest is the margin in which nothing new is started. */
export const WEBHOOK = { timeoutSeconds: 30, memoryMiB: 256 } as const;

export const RECORDER = { timeoutSeconds: 30, memoryMiB: 256 } as const;

export const REPORT_QUEUE = {
  /** the `queued` webhook can be recorded first */
  delaySeconds: 60,
  visibilitySeconds: 180,
  retentionSeconds: 60 * 60,
} as const;

/** The jobs API lags behind the event: how long to wait before each further look. */
export const JOB_LOOKS_AFTER_SECONDS = [30, 60, 120] as const;

/** Status events are best effort: how long a report is held back for the record of its job. */
export const RECORD_GRACE_SECONDS = 120;

/** From the end of a runner until its own report must have been judged: the delay of the queue, every look, and half a minute on the way. */
export const PICK_UP_HEARD_AFTER_SECONDS = 300;

/** GitHub fails a job that has waited for a runner so long: https://docs.github.com/en/actions/reference/limits */
export const JOB_WAITS_SECONDS = 24 * 60 * 60;

/** Of a run that somebody else names, so many jobs are read: pages of 100. */
export const MAX_JOB_PAGES = 20;

/** The end of the judge's time that questions to GitHub leave to the reports that need none. */
export const JUDGE_TIME_AFTER_GITHUB_SECONDS = 12;

/** Lines that are longer are no marker lines. */
export const MAX_LOG_LINE_LENGTH = 1000;

/** A delivery is of one log stream. Each name costs a DescribeExecution, of which Step Functions allows few a second, and a job can print any. */
export const MAX_REPORTS_PER_DELIVERY = 100;

/** The subscription filter; quoted, because a term with blanks would be three terms. */
export const LOG_FILTER_PATTERN = '"CDKGHR JOB RUNNER="';
