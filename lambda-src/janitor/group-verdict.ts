import type { RunnerGroup } from './ports';
import type { Verdict } from './verdict';

// what the second look makes of the group of a registration

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

/** `listed`: keys of the configured groups that GitHub has, undefined where nobody knows. A 404 alone may as well be a missing permission. */
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
