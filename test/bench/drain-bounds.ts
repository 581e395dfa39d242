import type { Bounds } from './bounds';
import type { Drain } from './drain';
import type { DrainPlan } from './drain-plan';
import type { DrainStage } from './drain-stage';
import type { RecordedRequest } from '../support/fake-github/request-log';

/** Of the allowed rate. */
const LEAST = 0.9;

const PAGES = /\/runners\?/;
const ONE_RUNNER = /\/runners\/\d+$/;

/** What the limits allow, what the janitor reached, and what it took. */
export function boundsOfDrain(bounds: Bounds, plan: DrainPlan, stage: DrainStage, drain: Drain): void {
  noteAllowed(bounds, plan);
  const allowed = Math.min(...Object.values(plan.allowed));
  const deletions = stage.github.requests.filter(({ method }) => method === 'DELETE');
  const [first, last] = [deletions[0]?.at ?? NaN, deletions.at(-1)?.at ?? NaN];
  const rate = (deletions.length - 1) / ((last - first) / 3_600_000);
  bounds.note('virtual time from the first look to the last deletion', drain.hours, ' h');
  bounds.note('rate over all of it, which begins with 15 minutes between the looks', stage.ghosts.size / drain.hours, ' /h');
  bounds.note('rate reached, from the first deletion to the last', rate, ' /h');
  bounds.atLeast('the latter, times the rate allowed', rate / allowed, LEAST);
  boundsOfDeletions(bounds, stage, drain);
  boundsOfRequests(bounds, plan, stage, drain);
}

function noteAllowed(bounds: Bounds, { allowed, budget, intervalSeconds }: DrainPlan): void {
  bounds.note('interval', intervalSeconds / 60, ' min');
  bounds.note('budget of a run', budget);
  bounds.note('GitHub allows by quota: limit less reserve and scans, over 2.1 requests', allowed.byQuota, ' /h');
  bounds.note('GitHub allows by points: 900 a minute and App, over 5 for a DELETE', allowed.byPoints, ' /h');
  bounds.note('GitHub allows by writes: one a second and App', allowed.byWrites, ' /h');
  bounds.note('the janitor allows by its pause between the DELETEs of a batch', allowed.byPause, ' /h');
  bounds.note('the janitor allows by its largest budget in each shortest interval', allowed.byBudget, ' /h');
  bounds.note('rate allowed: the least of these', Math.min(...Object.values(allowed)), ' /h');
}

function boundsOfDeletions(bounds: Bounds, { github, ghosts, queue }: DrainStage, { outcomes }: Drain): void {
  const wrong = github.deletions.filter((id) => !ghosts.has(id));
  bounds.exactly('ghosts deleted', github.deletions.length - wrong.length, ghosts.size);
  bounds.exactly('others deleted', wrong.length, 0);
  bounds.exactly('candidates in the dead-letter queue', queue.deadLetters.length, 0);
  bounds.note('second looks at ghosts that were gone already', outcomes.alreadyGone ?? 0);
  bounds.note('second looks that had to be repeated', outcomes.unknown ?? 0);
}

function boundsOfRequests(bounds: Bounds, plan: DrainPlan, { github, quotaLeft }: DrainStage, { firstLooks, pages }: Drain): void {
  bounds.exactly('requests refused by a limit', github.requests.filter(({ refusedBy }) => refusedBy).length, 0);
  bounds.atLeast('least quota that any App had left, against the reserve', quotaLeft, plan.reserve);
  bounds.note(`requests for pages, ${firstLooks} first looks`, pages);
  bounds.note('requests for sample pages', github.count({ method: 'GET', path: PAGES }) - pages);
  bounds.note('requests for lists of groups', github.count({ path: /\/runner-groups$/ }));
  bounds.note('GET requests for single registrations', github.count({ method: 'GET', path: ONE_RUNNER }));
  bounds.note('DELETE requests', github.count({ method: 'DELETE', path: ONE_RUNNER }));
  bounds.note('requests for tokens and installations', github.count({ path: /\/(access_tokens|installation)$/ }));
  bounds.note('most DELETEs of one App within a minute', mostWithinAMinute(github.requests));
}

function mostWithinAMinute(requests: readonly RecordedRequest[]): number {
  const deletions = requests.filter(({ method }) => method === 'DELETE');
  const ofOneApp = [...new Set(deletions.map(({ appId }) => appId))].map((app) => deletions.filter(({ appId }) => appId === app));
  return Math.max(...ofOneApp.map((list) => {
    let oldest = 0;
    return Math.max(...list.map(({ at }, index) => {
      while (list[oldest]!.at <= at - 60_000) oldest += 1;
      return index - oldest + 1;
    }));
  }));
}
