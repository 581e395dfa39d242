import * as fc from 'fast-check';
import { pagesOf, rotated, turnOf } from '../../../lambda-src/janitor/page-order';

const INTERVAL = 30 * 60_000;

test('within groups x pages intervals every page of every group comes first', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 20 }), (start, groups, pages) => {
    const first = new Set<string>();
    for (let n = start; n < start + groups * pages; n += 1) {
      const turn = turnOf(n * INTERVAL, INTERVAL, groups, 100);
      first.add(`${turn.group}:${turn.page(pages)}`);
    }
    return first.size === groups * pages;
  }));
});

test('with a budget smaller than a page every entry is within the budget of some run', () => {
  const upTo = (max: number) => fc.integer({ min: 1, max });
  fc.assert(fc.property(upTo(99), upTo(100), upTo(5), (budget, entries, pages) => {
    const reached = new Set<number>();
    for (let n = 0; n < pages * entries * 2; n += 1) {
      const turn = turnOf(n * INTERVAL, INTERVAL, 1, budget);
      if (turn.page(pages) !== 1) continue;
      for (let k = 0; k < Math.min(budget, entries); k += 1) reached.add((turn.entry(pages, entries) + k) % entries);
    }
    return reached.size === entries;
  }));
});

test('runs inside one interval start at the same place', () => {
  expect(turnOf(7 * INTERVAL, INTERVAL, 3, 100).group).toBe(turnOf(8 * INTERVAL - 1, INTERVAL, 3, 100).group);
});

test('rotating keeps every entry once', () => {
  expect(rotated([1, 2, 3, 4], 3)).toEqual([4, 1, 2, 3]);
});

test.each([[0, 1], [1, 1], [100, 1], [101, 2], [237, 3]])('%d registrations are %d pages', (total, pages) => {
  expect(pagesOf(total)).toBe(pages);
});
