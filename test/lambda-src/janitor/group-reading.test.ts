import * as fc from 'fast-check';
import { discover } from '../../../lambda-src/janitor/discover';
import type { RegistrationPage } from '../../../lambda-src/janitor/ports';
import { PermissionError, TransientError } from '../../../lambda-src/shared/errors';
import { machineId, World } from '../../support/janitor/world';

let world: World;
beforeEach(() => { world = new World(); });

/** A first look at a group whose pages are answered by hand. */
async function look(answer: (page: number, honest: RegistrationPage) => Partial<RegistrationPage>) {
  const ports = world.firstLookPorts();
  const pages: number[] = [];
  const report = await discover({
    ...ports,
    registrations: {
      ...ports.registrations,
      readPage: async (group, page) => {
        pages.push(page);
        // a request takes its time, so that a reading without end meets the deadline
        world.now += 100;
        const honest = await ports.registrations.readPage(group, page);
        return { ...honest, ...answer(page, honest) };
      },
    },
  }, world.policy);
  return { report, pages };
}

const ghosts = (count: number) => { for (let n = 0; n < count; n += 1) world.ghost(); };

describe('a reading comes to an end', () => {
  test('when empty pages announce further ones for ever', async () => {
    ghosts(1);
    const { report, pages } = await look(() => ({ hasNext: true }));
    expect(pages).toEqual([1, 2]);
    expect(report.queued).toBe(1);
  });

  test('when every page is the first one again', async () => {
    ghosts(3);
    const { pages } = await look((_, honest) => ({ registrations: honest.registrations.length > 0 ? honest.registrations : world.registrations.get('1')!, hasNext: true }));
    expect(pages).toEqual([1, 2]);
  });

  test.each([0, 1, 7])('when GitHub counts a thousand million registrations and shows three (run %d)', async (run) => {
    world.now += run * world.policy.interval;
    ghosts(3);
    const { report, pages } = await look(() => ({ totalCount: 1e9 }));
    expect(pages.length).toBeLessThanOrEqual(3);
    expect(report).toMatchObject({ queued: 0, withheld: 3 });
  });
});

test('three failed pages that are not in a row do not end it', async () => {
  ghosts(800);
  world.policy = { ...world.policy, candidatesPerRun: 1000 };
  world.before = (what) => { if (/^page 1 [246]$/.test(what)) throw new TransientError('502'); };
  expect(await world.discover()).toMatchObject({ pagesFailed: 3, pagesRead: 5, registrations: 500 });
});

test('a count of nothing beside registrations does not hide the pages that follow', async () => {
  ghosts(250);
  world.policy = { ...world.policy, candidatesPerRun: 1000 };
  const { report, pages } = await look(() => ({ totalCount: 0 }));
  expect(pages).toEqual([1, 2, 3]);
  expect(report.queued).toBe(250);
});

test('a group that seems to have emptied between two pages has not been read to its end', async () => {
  ghosts(300);
  // the one that tells that the configuration is wrong would be on the page that is left out
  world.add({ status: 'online' });
  const { report } = await look((page) => (page === 1 ? {} : { registrations: [], totalCount: 0, hasNext: false }));
  expect(report).toMatchObject({ queued: 0, withheld: 100 });
});

describe('a group that shrinks while it is read', () => {
  // ten that sign off on page 1 after it was read pull the first ten of page 2 onto it
  const shrink = () => { world.before = (what) => { if (what === 'page 1 2') for (let id = 1; id <= 10; id += 1) world.remove(id); }; };

  test.each([0, 1])('has not been read to its end: the one that tells that the configuration is wrong may have moved to a page that was read (run %d)', async (run) => {
    world.now += run * world.policy.interval;
    ghosts(100);
    world.add({ status: 'online' });
    ghosts(99);
    shrink();
    expect(await world.discover()).toMatchObject({ queued: 0, withheld: 100, violations: [] });
  });

  test('has not been read to its end when a whole page goes at once', async () => {
    ghosts(300);
    world.before = (what) => { if (what === 'page 1 2') for (let id = 201; id <= 300; id += 1) world.remove(id); };
    expect(await world.discover()).toMatchObject({ queued: 0, withheld: 100 });
  });

  test('is cleaned by the next run', async () => {
    ghosts(200);
    shrink();
    await world.discover();
    world.now += world.policy.interval;
    expect(await world.discover()).toMatchObject({ queued: 100, withheld: 0 });
  });

  test('is cleaned at once where a witness shows that the configuration is right', async () => {
    ghosts(150);
    world.living();
    ghosts(49);
    shrink();
    expect(await world.discover()).toMatchObject({ queued: 100, withheld: 0 });
  });

  test('is cleaned without a witness only if every registration that stayed was seen, whichever go, and whenever', async () => {
    const leaving = fc.record({
      before: fc.integer({ min: 1, max: 3 }), from: fc.integer({ min: 1, max: 300 }), count: fc.integer({ min: 1, max: 30 }),
    });
    let cleaned = 0;
    await fc.assert(fc.asyncProperty(fc.array(leaving, { maxLength: 3 }), fc.nat(2), async (departures, run) => {
      world = new World();
      world.now += run * world.policy.interval;
      ghosts(300);
      world.before = (what) => departures.filter(({ before }) => what === `page 1 ${before}`).forEach(({ from, count }) => {
        for (let id = from; id < from + count; id += 1) world.remove(id);
      });
      const { queued } = await world.discover();
      cleaned += queued;
      const seen = new Set(world.lookups.flat());
      if (queued > 0) expect(world.remaining.map(machineId).filter((machine) => !seen.has(machine))).toEqual([]);
    }));
    expect(cleaned).toBeGreaterThan(0);
  });
});

describe('page 1, which is read before its turn comes', () => {
  /** Three pages, the second of which comes first. */
  beforeEach(() => {
    world.now += world.policy.interval;
    world.policy = { ...world.policy, candidatesPerRun: 1000 };
  });
  const pageOf = (id: number) => Math.ceil(id / 100);
  const queuedPages = () => [...new Set(world.queue.map(({ body }) => pageOf((JSON.parse(body) as { runner: { id: number } }).runner.id)))];
  const failFrom = (page: number) => { world.before = (what) => { if (Number(what.split(' ')[2]) >= page) throw new PermissionError('403'); }; };

  test('shows its witnesses also to a reading that ends before that', async () => {
    world.living();
    ghosts(299);
    failFrom(3);
    expect(await world.discover()).toMatchObject({ queued: 199, withheld: 0 });
  });

  test('shows its suspects also to a reading that ends before that, so that they withhold what another witness would carry', async () => {
    world.add({ status: 'online' });
    ghosts(150);
    world.living();
    ghosts(148);
    failFrom(3);
    expect(await world.discover()).toMatchObject({ queued: 0, withheld: 198 });
  });

  test.each([[1, [2, 3, 1]], [2, [3, 1, 2]], [3, [1, 2, 3]]])('has its terminated ones queued in its turn (run %d)', async (run, order) => {
    world.now = Date.parse('2026-01-01T00:00:00Z') + run * world.policy.interval;
    ghosts(300);
    world.registrations.get('1')!.forEach(({ id }) => world.machines.set(machineId(id), 'terminated'));
    await world.discover();
    expect(queuedPages()).toEqual(order);
    expect(world.queue).toHaveLength(300);
  });

  test('takes no place of those whose turn it is', async () => {
    world.living();
    ghosts(299);
    world.policy = { ...world.policy, candidatesPerRun: 50 };
    await world.discover();
    expect(queuedPages()).toEqual([2]);
  });

  test('has its candidates queued behind those of the pages that were read, when the reading ends before its turn', async () => {
    world.living();
    ghosts(299);
    for (let id = 2; id <= 200; id += 1) world.machines.set(machineId(id), 'terminated');
    failFrom(3);
    await world.discover();
    expect(queuedPages()).toEqual([2, 1]);
    expect(world.queue).toHaveLength(199);
  });

  test('costs one request and one look-up, as every other page', async () => {
    ghosts(300);
    await world.discover();
    expect(world.requests).toEqual(['groups', 'page 1 1', 'page 1 2', 'page 1 3']);
    expect(world.lookups).toHaveLength(3);
  });

  test('is enough of a witness for ghosts thirty pages behind it, in a group of which a run reads half', async () => {
    world.living();
    for (let n = 2; n <= 6000; n += 1) {
      const { id } = world.ghost();
      if (id <= 3000 || id > 3050) world.machines.set(machineId(id), 'present');
    }
    world.before = (what) => { world.now += what.startsWith('page') ? 6000 : what === 'lookup' ? 4000 : 0; };
    const start = world.now;
    let queued = 0;
    for (let run = 0; run < 60; run += 1) {
      world.now = start + run * world.policy.interval;
      queued += (await world.discover()).queued;
    }
    expect(queued).toBeGreaterThan(0);
  }, 60_000);
});

test('a registration that is listed in two groups while it moves is deleted at most once, where it is at the end', async () => {
  world.addGroup('2');
  const moving = world.ghost();
  world.registrations.get('2')!.push({ ...moving, groupKey: '2' });
  await world.discover();
  expect(world.queue).toHaveLength(2);
  world.registrations.set('1', []);
  expect(await world.confirmAll()).toEqual({ moved: 1, deleted: 1 });
  expect(world.deleted).toEqual([moving.id]);
});

test('a name that only looks like ours is not ours', async () => {
  const lookalikes = [`р_${machineId(1)}`, `p_${machineId(1)}\n`, `P_${machineId(1)}`, `p_${machineId(1).toUpperCase()}`, `p_\u200b${machineId(1)}`, `p_і-${'0'.repeat(17)}`];
  lookalikes.forEach((name) => world.add({ name }));
  expect((await world.discover()).keptBecause).toEqual({ notOurs: lookalikes.length });
});
