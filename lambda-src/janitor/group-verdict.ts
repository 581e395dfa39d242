import type { Candidate } from './candidate';
import type { RunnerGroup } from './ports';
import type { Policy, Verdict } from './verdict';

// what the second look makes of a candidate's group; `listed`: keys of the configured groups that GitHub has, undefined where nobody knows

/**
 * The first look takes its groups from GitHub's list; others may write any group into a message that has the right digest. Where the
 * configuration names the groups, the message itself was judged by that.
 */
export function groupIsOnlyClaimed({ registration, fromFirstLook }: Candidate, { groupKeys }: Policy): boolean {
  return registration !== undefined && !fromFirstLook && groupKeys === undefined;
}

/** Before anything is asked for the group, which may be one that answers nobody. Undefined: it is ours to ask. */
export function judgeGroup(candidate: Candidate, listed: readonly string[] | undefined, policy: Policy): Verdict | undefined {
  const key = candidate.registration?.group.key;
  if (key === undefined || !groupIsOnlyClaimed(candidate, policy)) return undefined;
  if (!listed) return { action: 'return', outcome: 'unknown', reason: 'no first look of ours has sent it, and the groups could not be listed' };
  return listed.includes(key) ? undefined : { action: 'acknowledge', outcome: 'outOfScope', reason: `group ${key} is not configured` };
}

export interface Place {
  readonly group: RunnerGroup;
  readonly member: boolean | 'unknown';
}

/** Where the registration of a nomination stands, which names no group. A group that could not be read says nothing of the others. */
export function judgePlaces(places: readonly Place[]): RunnerGroup | Verdict {
  const found = places.find(({ member }) => member === true);
  if (found) return found.group;
  const unread = places.filter(({ member }) => member === 'unknown').map(({ group }) => group.name);
  if (unread.length === 0) return { action: 'acknowledge', outcome: 'outOfScope', reason: 'the registration is in no configured group' };
  return { action: 'return', outcome: 'unknown', reason: `found in no group, but not every one could be read: ${unread.join(', ')}` };
}

/** Whether GitHub has said plainly that a group is gone. A 404 alone may as well be a missing permission. */
export function isGroupGone(key: string, answered404: boolean, listed: readonly string[] | undefined): boolean {
  return answered404 && listed !== undefined && !listed.includes(key);
}

/**
 * No later look will know more of a candidate whose group is gone: GitHub has moved its registrations to another group, where the next
 * scan finds those that are still ghosts. It only ends doubts; what is decided stays.
 */
export function unlessGroupGone(verdict: Verdict, groupGone: boolean): Verdict {
  if (!groupGone || verdict.action !== 'return') return verdict;
  const reason = `its group was removed at GitHub, and the next scan finds the registration in its new one (${verdict.reason})`;
  return { action: 'acknowledge', outcome: 'moved', reason };
}
