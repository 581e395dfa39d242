import { SHOP } from './runner-app';

/** What becomes of one of the runners that are started for a job each. */
export interface Fate {
  /** the job it was started for; the runner is `shop-<job>` */
  readonly job: number;
  readonly did:
    | { readonly kind: 'ran'; readonly repository: string; readonly job: number }
    | { readonly kind: 'died' };
  /** which of the two reports of its pick-up arrive */
  readonly reports: readonly ('log' | 'webhook')[];
  /** what its job prints besides: another runner's name and a repository that nobody knows */
  readonly forges?: { readonly job: number; readonly repository: string };
}

const BOTH = ['log', 'webhook'] as const;

/** Twelve jobs, and one runner for each: three are stolen, two swap their jobs, one dies unused and another one runs its job. */
export const STORY: readonly Fate[] = [
  steals(101, 901, BOTH),
  steals(102, 902, ['webhook']),
  steals(103, 903, ['log']),
  runs(104, 104),
  runs(105, 106),
  runs(106, 105),
  { job: 107, did: { kind: 'died' }, reports: [] },
  runs(108, 107),
  { ...runs(109, 109), forges: { job: 110, repository: 'somebody/elsewhere' } },
  runs(110, 110),
  runs(111, 111),
  runs(112, 112),
];

export function runnerOf({ job }: Pick<Fate, 'job'>): string {
  return `shop-${job}`;
}

/** As every workflow run here has one job. */
export function runOf(job: number): number {
  return 70_000 + job;
}

/**
 * What has to come out, told by the story alone: one more runner for each that was stolen and for each that died, so that in the end all
 * jobs have had one. For a dead runner nobody hears of, it is the runner that ran its job that has to be replaced.
 */
export const EXPECTED = {
  thefts: STORY.filter(({ did }) => did.kind === 'ran' && did.repository === SHOP.outsider).map(runnerOf),
  debts: STORY.filter(({ did }) => did.kind === 'ran' && isDead(did.job)).map(runnerOf),
  forged: STORY.filter(({ forges }) => forges).length,
};

function isDead(job: number): boolean {
  return STORY.some((fate) => fate.job === job && fate.did.kind === 'died');
}

function runs(job: number, ran: number): Fate {
  return { job, did: { kind: 'ran', repository: SHOP.repository, job: ran }, reports: BOTH };
}

function steals(job: number, stolenBy: number, reports: Fate['reports']): Fate {
  return { job, did: { kind: 'ran', repository: SHOP.outsider, job: stolenBy }, reports };
}
