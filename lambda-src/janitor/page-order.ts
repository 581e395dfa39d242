import { PAGE_SIZE } from '../../src/contract/limits';

/**
 * Where a run starts, from the number of its schedule interval alone: no state is kept between runs, and still every
 * group, every page and every entry of a page comes first in turn.
 */
export interface Turn {
  readonly group: number;
  /** counts from 1 */
  readonly page: (pages: number) => number;
  /** counts from 0; moves on once every page has been first, so that undeletable entries cannot hold a page's head for ever */
  readonly entry: (pages: number, entries: number) => number;
  /** half of all registrations: the other half than in the run before, whose candidates may still be waiting on the queue */
  readonly prefers: (registrationId: number) => boolean;
}

export function turnOf(now: number, interval: number, groups: number, budget: number): Turn {
  const turn = Math.floor(now / interval);
  const round = Math.floor(turn / groups);
  return {
    group: turn % groups,
    page: (pages) => (round % pages) + 1,
    entry: (pages, entries) => (entries === 0 ? 0 : (Math.floor(round / pages) * budget) % entries),
    prefers: (registrationId) => registrationId % 2 === turn % 2,
  };
}

/** The list, begun at `start` and wrapped round. */
export function rotated<T>(items: readonly T[], start: number): readonly T[] {
  return start === 0 ? items : [...items.slice(start), ...items.slice(0, start)];
}

export function pagesOf(totalCount: number): number {
  return Math.max(1, Math.ceil(totalCount / PAGE_SIZE));
}
