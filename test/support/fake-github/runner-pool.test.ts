import fc from 'fast-check';
import { newRunner } from './runner';
import type { Runner } from './runner';
import { RunnerPool } from './runner-pool';

const runner = (id: number): Runner => newRunner(id, undefined, { name: `runner ${id}` });

test('whatever comes and goes, the pool is the list of those who are there, in the order of their coming', () => {
  const step = fc.record({ remove: fc.boolean(), at: fc.nat() });
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (steps, perPage) => {
    const pool = new RunnerPool();
    const model: Runner[] = [];
    steps.forEach(({ remove, at }, id) => {
      if (remove && model.length) {
        pool.remove(model.splice(at % model.length, 1)[0]);
      } else {
        model.push(runner(id));
        pool.add(model.at(-1)!);
      }
    });
    expect(pool.size).toBe(model.length);
    const pages = Array.from({ length: pool.lastPage(perPage) }, (_, index) => pool.page(index + 1, perPage));
    expect(pages.flat()).toEqual(model);
    expect(pages.slice(0, -1).every((page) => page.length === perPage)).toBe(true);
    expect(pool.page(pool.lastPage(perPage) + 1, perPage)).toEqual([]);
  }));
});

test('a runner that is not there can be removed without harm', () => {
  const pool = new RunnerPool();
  pool.add(runner(1));
  pool.remove(runner(2));
  expect(pool.all().map(({ id }) => id)).toEqual([1]);
});

test('pages can be given sizes of their own, and nobody is lost between them', () => {
  const pool = new RunnerPool();
  for (let id = 1; id <= 237; id++) pool.add(runner(id));
  pool.pageSizes = [100, 37];
  expect(pool.lastPage(100)).toBe(3);
  expect([1, 2, 3, 4].map((page) => pool.page(page, 100).length)).toEqual([100, 37, 100, 0]);
  pool.pageSizes = [100, 37, 100];
  expect(pool.lastPage(100)).toBe(3);
});
