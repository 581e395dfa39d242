/**
 * What stands on the report queue: "this runner picked that job up". Public and versioned: a webhook function of the runner
 * stack may send it (`grantReportAssignments`). The queue is FIFO: message group = runner name, deduplication id = see
 * {@link reportDeduplicationId}.
 */

export const REPORT_VERSION = 1;

/**
 * `log`: a line in a runner's log, which any job can print. It only nominates, and never carries a job id.
 * `signed`: a webhook whose signature was checked by whoever sends the report.
 */
export type ReportSource = 'log' | 'signed';

export interface ReportMessage {
  readonly version: typeof REPORT_VERSION;
  readonly source: ReportSource;
  /** name of the runner = name of its execution; matches {@link RUNNER_NAME} */
  readonly runnerName: string;
  /** `owner/name` of the repository the job belongs to; absent in older log lines: the repository the runner was started for */
  readonly repository?: string;
  /** the workflow run; needed unless `jobId` is there */
  readonly runId?: number;
  /** the job itself; only in signed reports, where it saves a request */
  readonly jobId?: number;
  /** ISO 8601, UTC; when the job started, as the webhook says */
  readonly startedAt?: string;
  /** the labels the job asks for, as the webhook says */
  readonly labels?: readonly string[];
}

/** GitHub allows 64 characters; Step Functions names and SQS group ids allow these too. */
export const RUNNER_NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** A forged line must not swallow the signed report, so each source has an id of its own. */
export function reportDeduplicationId(report: { readonly runnerName: string; readonly source: ReportSource }): string {
  return `${report.runnerName}#${report.source}`;
}
