/** Numbers both sides agree on. Durations are in seconds unless the name says otherwise. */

/** The least time between the first and the second look at a registration. */
export const MIN_AGE_SECONDS = 900;

/** A candidate older than this is dropped: the fleet it was seen in is not today's. */
export const MAX_AGE_SECONDS = 24 * 60 * 60;

/** Nothing new is started when less than this is left of an invocation. */
export const DEADLINE_MARGIN_SECONDS = 10;

/** No single request may take longer; GitHub itself gives up after 10 seconds. */
export const REQUEST_TIMEOUT_SECONDS = 10;

/** GitHub's largest page. */
export const PAGE_SIZE = 100;

/** GitHub refuses longer runner names. */
export const MAX_RUNNER_NAME_LENGTH = 64;

/** Confirmation functions that may run at the same time; DELETEs are spaced by this many seconds in each. */
export const CONFIRMATION_CONCURRENCY = 2;

export const CANDIDATES_PER_RUN = { default: 100, min: 1, max: 1000 } as const;

export const QUOTA_RESERVE_DEFAULT = 0.2;

export const INTERVAL_SECONDS = { default: 30 * 60, min: 20 * 60, max: 24 * 60 * 60 } as const;

export const DISCOVERY = { timeoutSeconds: 300, memoryMiB: 512 } as const;

export const CONFIRMATION = { timeoutSeconds: 120, memoryMiB: 512, batchSize: 10 } as const;

export const CONFIRMATION_QUEUE = {
  delaySeconds: 900,
  visibilitySeconds: 720,
  retentionSeconds: 24 * 60 * 60,
  maxReceives: 5,
  deadLetterRetentionSeconds: 14 * 24 * 60 * 60,
} as const;
