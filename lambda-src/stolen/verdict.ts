import { covers } from './covers';
import type { OwnJob } from './execution-input';
import type { Job, PickUp } from './ports';
import { JOB_LOOKS_AFTER_SECONDS, JOB_WAITS_SECONDS, PICK_UP_HEARD_AFTER_SECONDS, RECORD_GRACE_SECONDS } from '../../src/contract/detector-limits';

/** Who ran on somebody else's runner. */
export interface Thief {
  readonly repository: string;
  readonly runId: number | undefined;
  readonly jobId: number | undefined;
  readonly labels: readonly string[] | undefined;
}

export type Verdict =
  | { readonly kind: 'fine'; readonly reason: 'ownJob' | 'shuffle' | 'workedBefore' }
  | { readonly kind: 'ignored'; readonly reason: 'notOurs' | 'startedForNobody' | 'outdated' | 'concluded' | 'forged' | 'unverifiable' | 'neverListed' }
  /** look again in so many seconds */
  | { readonly kind: 'wait'; readonly reason: 'notListedYet' | 'notRecordedYet' | 'mayHaveWorked'; readonly seconds: number }
  | { readonly kind: 'stolen'; readonly reason: 'outsider' | 'debt' | 'labels'; readonly thief: Thief };

/** One of the runners that were started for the job in question. */
export interface Member {
  readonly name: string;
  /** `future`: recorded, but its execution does not exist yet */
  readonly life: 'future' | 'running' | 'succeeded' | 'failed';
  readonly endedAt: number | undefined;
  /** whether any report of it was ever heard */
  readonly pickedUp: boolean;
  /** undefined: unknown */
  readonly labels: readonly string[] | undefined;
}

/** What is known when the job that the runner ran is known. */
export interface Facts {
  readonly own: OwnJob;
  readonly ran: Job;
  /** the runners that were started for that job; undefined: nobody recorded it */
  readonly members: readonly Member[] | undefined;
  /** the runner that ran this runner's own job; undefined: nobody, or unknown */
  readonly ownJobRanOn: string | undefined;
  /** jobs are recorded best effort, and possibly later than they are reported */
  readonly recordsLate: boolean;
  /** seconds since the report was first received */
  readonly waited: number;
  /** milliseconds since the epoch */
  readonly now: number;
}

/** The verdict on a runner that ran a job we know. */
export function verdictOn(facts: Facts): Verdict {
  const { own, ran, members } = facts;
  if (isOwnJob(own, ran)) return { kind: 'fine', reason: 'ownJob' };
  if (!members) {
    const seconds = recordMayCome(facts);
    return seconds > 0 ? { kind: 'wait', reason: 'notRecordedYet', seconds } : { kind: 'stolen', reason: 'outsider', thief: thiefOf(ran) };
  }
  if (isDebt(facts, members)) {
    const seconds = reportMayCome(members, facts.now);
    return seconds > 0 ? { kind: 'wait', reason: 'mayHaveWorked', seconds } : { kind: 'stolen', reason: 'debt', thief: thiefOf(ran) };
  }
  if (isLabelGap(own, ran, members)) return { kind: 'stolen', reason: 'labels', thief: thiefOf(ran) };
  return { kind: 'fine', reason: 'shuffle' };
}

export function isOwnJob(own: OwnJob, ran: Job): boolean {
  return own.id === ran.id;
}

/** Seconds to hold the report back for the record of its job. */
export function recordMayCome({ recordsLate, waited }: Pick<Facts, 'recordsLate' | 'waited'>): number {
  return recordsLate ? Math.max(0, RECORD_GRACE_SECONDS - Math.floor(waited)) : 0;
}

/**
 * Everybody started for that job had died unused when it began: it lived on this runner's cost, and nobody is left to pay back.
 * Unless one of them was lost at work, and GitHub shows that the work was this runner's own job.
 */
export function isDebt({ ran, ownJobRanOn }: Pick<Facts, 'ran' | 'ownJobRanOn'>, members: readonly Member[]): boolean {
  return members.length > 0 && members.every((member) => diedBefore(member, ran) && member.name !== ownJobRanOn);
}

/** Seconds until a runner that died can no longer turn out to have worked: its own report may still be on its way, or be looked at again. */
export function reportMayCome(members: readonly Member[], now: number): number {
  const lastEnd = Math.max(...members.map(({ endedAt }) => endedAt ?? -Infinity));
  return Math.max(0, Math.ceil((lastEnd - now) / 1000 + PICK_UP_HEARD_AFTER_SECONDS));
}

/** GitHub has long failed whatever waited for that runner. Old names are no secret, and their pick-ups are forgotten after three days. */
export function isOutdated(pickedUpBefore: number | undefined, now: number): boolean {
  return pickedUpBefore !== undefined && pickedUpBefore + JOB_WAITS_SECONDS * 1000 < now;
}

/**
 * A state machine that tries again registers the same name again. What the runner was started for is paid with its first
 * job, so whoever takes it afterwards robs nobody.
 */
export function hasWorkedBefore(ran: Job, known: PickUp | undefined): boolean {
  return known?.jobId !== undefined && known.jobId !== ran.id;
}

/** Those who were there to take this runner's place all have labels that do not let them serve its own job. Unknown labels never convict. */
export function isLabelGap(own: OwnJob, ran: Job, members: readonly Member[]): boolean {
  const { needs } = own;
  if (!needs) return false;
  const standIns = members.filter((member) => !diedBefore(member, ran));
  return standIns.length > 0 && standIns.every(({ labels }) => labels !== undefined && !covers(labels, needs));
}

/** It died unused. A runner serves one job and ends, so an execution that succeeded ran one, even if its report was lost. */
export function diedUnused(member: Member): boolean {
  return member.life === 'failed' && !member.pickedUp;
}

/** An unknown time of either event is no proof. */
function diedBefore(member: Member, ran: Job): boolean {
  return diedUnused(member) && member.endedAt !== undefined && ran.startedAt !== undefined && member.endedAt < ran.startedAt;
}

/** The run was read and does not name the runner: the list lags behind the event, so look again, but not for ever. */
export function notListed(waited: number): Verdict {
  let until = 0;
  for (const seconds of JOB_LOOKS_AFTER_SECONDS) {
    until += seconds;
    if (waited < until) return { kind: 'wait', reason: 'notListedYet', seconds };
  }
  return { kind: 'ignored', reason: 'neverListed' };
}

/** What speaks against a report that names a repository where we cannot look. */
export interface Defence {
  /** the runner that the runner's own job names, if any */
  readonly ownJobRanOn: string | undefined;
  /** the runner's registration is online and not busy */
  readonly isIdle: boolean;
  /** what an earlier report of this runner was found to be */
  readonly knownPickUp: string | undefined;
}

/** Any job can print any line, so where GitHub shows us no job to look at, the runner itself is asked. */
export function isForged(runnerName: string, repository: string, defence: Defence): boolean {
  return defence.ownJobRanOn === runnerName || defence.isIdle || ranElsewhere(repository, defence.knownPickUp);
}

export function ranElsewhere(repository: string, knownPickUp: string | undefined): boolean {
  return knownPickUp !== undefined && knownPickUp.toLowerCase() !== repository.toLowerCase();
}

export function thiefOf(ran: Job): Thief {
  return { repository: ran.repository, runId: ran.runId, jobId: ran.id, labels: ran.labels };
}
