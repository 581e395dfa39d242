import { CANDIDATES_PER_RUN, CONFIRMATION, CONFIRMATION_CONCURRENCY, INTERVAL_SECONDS, PAGE_SIZE } from '../../src/contract/limits';

/** https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api, for an App in an organization of the smallest size */
const REQUESTS_AN_HOUR = 5000;
const POINTS_A_MINUTE = 900;
const POINTS_OF_A_DELETE = 5;
const WRITES_A_SECOND = 1;

/** GET and DELETE, and one sample page for a whole batch. */
const REQUESTS_A_DELETION = 2 + 1 / CONFIRMATION.batchSize;

export interface DrainSize {
  readonly apps: number;
  /** fraction of each App's quota */
  readonly quotaReserve: number;
  readonly ghosts: number;
  readonly living: number;
}

export interface DrainPlan {
  readonly apps: number;
  readonly limit: number;
  /** what is left to whoever registers runners, of each App's quota */
  readonly reserve: number;
  readonly intervalSeconds: number;
  readonly budget: number;
  /** deletions an hour */
  readonly allowed: {
    readonly byQuota: number;
    readonly byPoints: number;
    readonly byWrites: number;
    /** by the largest budget that the janitor takes */
    readonly byBudget: number;
    /** by the pause between the DELETEs of a batch, which one App serves: so many functions at a time, in each of them one in as many seconds */
    readonly byPause: number;
  };
}

/** The shortest interval, the budget that the quota can serve in it, and the deletions an hour that each limit allows. */
export function drainPlan({ apps, quotaReserve, ghosts, living }: DrainSize): DrainPlan {
  const intervalSeconds = INTERVAL_SECONDS.min;
  const runsAnHour = 3600 / intervalSeconds;
  const reserve = REQUESTS_AN_HOUR * quotaReserve;
  const usable = apps * (REQUESTS_AN_HOUR - reserve);
  const scan = (pagesOfGhosts: number) => 1 + pagesOfGhosts + Math.ceil(living / PAGE_SIZE);
  const pages = Math.ceil(ghosts / PAGE_SIZE);
  return {
    apps,
    limit: REQUESTS_AN_HOUR,
    reserve,
    intervalSeconds,
    // the first scan is the longest one
    budget: Math.min(CANDIDATES_PER_RUN.max, Math.floor((usable / runsAnHour - scan(pages)) / REQUESTS_A_DELETION)),
    allowed: {
      // pages become fewer from all to none
      byQuota: (usable - runsAnHour * scan(pages / 2)) / REQUESTS_A_DELETION,
      byPoints: (apps * 60 * POINTS_A_MINUTE) / POINTS_OF_A_DELETE,
      byWrites: apps * WRITES_A_SECOND * 3600,
      byBudget: CANDIDATES_PER_RUN.max * runsAnHour,
      byPause: CONFIRMATION_CONCURRENCY * (3600 / CONFIRMATION_CONCURRENCY),
    },
  };
}
