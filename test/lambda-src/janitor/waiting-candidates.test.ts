import * as fc from 'fast-check';
import { WaitingCandidates } from '../../../lambda-src/janitor/waiting-candidates';
import type { CandidateMessage } from '../../../src/contract/candidate-message';

const candidate = (id: number): CandidateMessage => ({
  version: 1,
  kind: 'candidate',
  scope: 'digest',
  runner: { id, name: `p_${id}` },
  group: { key: '1', name: 'spot', pages: 1 },
  observedAt: '2026-01-01T00:00:00.000Z',
  evidence: 'absent',
  mode: 'armed',
});
const even = (id: number) => id % 2 === 0;

function waiting(ids: readonly number[], places: number): { ids: number[]; rejected: number } {
  const candidates = new WaitingCandidates();
  const fitted = ids.map((id) => candidates.add(candidate(id), even(id), places));
  return { ids: candidates.all.map(({ runner }) => runner.id), rejected: fitted.filter((fits) => !fits).length };
}

test('preferred ones stand in front, each kind in the order of its arrival', () => {
  expect(waiting([1, 2, 3, 4], 10)).toEqual({ ids: [2, 4, 1, 3], rejected: 0 });
});

test('a preferred one takes the place of the last of the others', () => {
  expect(waiting([1, 3, 2], 2)).toEqual({ ids: [2, 1], rejected: 1 });
});

test('nobody takes the place of a preferred one', () => {
  expect(waiting([2, 4, 1, 6], 2)).toEqual({ ids: [2, 4], rejected: 2 });
});

test('there are never more than places, no place stays empty, and whoever found none is counted', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { maxLength: 40 });
  fc.assert(fc.property(ids, fc.integer({ min: 0, max: 50 }), (all, places) => {
    const kept = waiting(all, places);
    expect(kept.ids).toHaveLength(Math.min(all.length, places));
    expect(kept.rejected).toBe(all.length - kept.ids.length);
    expect(kept.ids.filter(even)).toHaveLength(Math.min(all.filter(even).length, places));
  }));
});
