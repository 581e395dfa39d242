/** What the detector's construct tells its functions through their environment. */

/** These three also stand in the environment of the functions that the runner stack attaches. */
export const TRACKER_ENV = {
  table: 'RUNNER_TRACKER_TABLE',
  ttlSeconds: 'RUNNER_TRACKER_TTL_SECONDS',
  queueUrl: 'JOB_ASSIGNMENT_QUEUE_URL',
} as const;

export const DETECTOR_ENV = {
  ...TRACKER_ENV,
  /** of the state machine, its version or its alias, exactly as replacements are to be started */
  stateMachineArn: 'STATE_MACHINE_ARN',
  /** `https://github.com`, a GHES host or a data residency host; absent: the host that the cdk-github-runners secret names */
  githubUrl: 'GITHUB_URL',
  /** JSON, {@link CredentialsConfig} of the janitor's configuration */
  credentials: 'GITHUB_CREDENTIALS',
  /** replacements for one runner that was started for a job, 1 to 9 */
  maxReplacements: 'MAX_REPLACEMENTS',
  maxReplacementsPerHour: 'MAX_REPLACEMENTS_PER_HOUR',
  /** `true` or `false`; anything but `false` only observes */
  observeOnly: 'OBSERVE_ONLY',
  /** `true`: jobs are recorded from status events, which are best effort, so a job that is not there gets more time */
  recordsExecutions: 'RECORDS_EXECUTIONS',
  /** ARN of the secret that holds the webhook's secret, as plain text or as JSON `{ "webhookSecret": "..." }` */
  webhookSecret: 'WEBHOOK_SECRET_ARN',
} as const;
