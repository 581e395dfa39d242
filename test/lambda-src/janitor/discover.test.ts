import { DeadlineError, LimitError, NotFoundError, PermissionError, QuotaReserveError, TransientError } from '../../../lambda-src/shared/errors';
import { machineId, MINUTE, runnerName, World } from '../../support/janitor/world';

let world: World;
beforeEach(() => { world = new World(); });

const queuedIds = () => world.queue.map(({ body }) => JSON.parse(body).runner.id);

test('an offline registration whose machine is gone in every place becomes a candidate, and nothing is deleted', async () => {
  const ghost = world.ghost();
  const report = await world.discover();
  expect(world.queue.map(({ body }) => JSON.parse(body))).toEqual([{
    version: 1,
    kind: 'candidate',
    scope: 'digest',
    runner: { id: ghost.id, name: ghost.name },
    group: { key: '1', name: 'spot', pages: 1 },
    observedAt: '2026-01-01T00:00:00.000Z',
    evidence: 'absent',
    mode: 'armed',
  }]);
  expect(report.failures).toEqual([]);
  expect(world.deleted).toEqual([]);
});

test.each([
  ['case 2: a foreign name', { name: 's390x-7' }, 'notOurs'],
  ['case 2: a suffixed name', { name: `${runnerName(5)}-2` }, 'notOurs'],
  ['case 2: a prefixed name', { name: `x${runnerName(5)}` }, 'notOurs'],
  ['case 2: a name with a prefix but no machine id', { name: 'p_s390x-7' }, 'notOurs'],
  ['case 7: busy, machine gone', { busy: true }, 'stuckBusy'],
  ['a status nobody knows', { status: 'asleep' }, 'statusUnknown'],
])('%s is kept (%#)', async (_, registration, reason) => {
  world.add(registration);
  const report = await world.discover();
  expect(world.queue).toEqual([]);
  expect(report.keptBecause).toEqual({ [reason]: 1 });
});

test.each(['present', 'unknown'] as const)('case 6: a machine that is %s protects its registration', async (state) => {
  const { id } = world.ghost();
  world.machines.set(machineId(id), state);
  await world.discover();
  expect(world.queue).toEqual([]);
});

test('a label protects, without regard to case', async () => {
  world.policy = { ...world.policy, protectedLabels: ['Keep-Me'] };
  world.add({ labels: ['keep-me'] });
  expect((await world.discover()).keptBecause).toEqual({ protected: 1 });
});

test('case 7: a stuck ghost is named', async () => {
  const { id, name } = world.add({ busy: true });
  const report = await world.discover();
  expect(report.stuck).toEqual([{ id, name, group: 'spot' }]);
  expect(report.metrics().StuckBusy).toBe(1);
});

describe('case 13: the scope proof', () => {
  const foreign = () => world.add({ status: 'online' });

  test('one online runner without a machine, on the last of 40 pages, withholds the ghosts of the first', async () => {
    for (let n = 0; n < 3999; n += 1) world.ghost();
    const { name } = foreign();
    const report = await world.discover();
    expect(world.queue).toEqual([]);
    expect(report.withheld).toBe(100);
    expect(report.failures.join()).toContain(name);
    expect(report.metrics().ScopeViolations).toBe(1);
  });

  test('a suspect whose machine shows up at the second question is a witness', async () => {
    const late = foreign();
    world.ghost();
    world.before = (what) => { if (what === `find ${late.id}`) world.machines.set(machineId(late.id), 'present'); };
    // the machines are asked again before the registration is: let them show up with the second question
    let asked = 0;
    world.before = (what) => { if (what === 'lookup' && (asked += 1) === 2) world.machines.set(machineId(late.id), 'present'); };
    const report = await world.discover();
    expect(report.queued).toBe(1);
    expect(report.violations).toEqual([]);
  });

  test('a suspect that went offline meanwhile is no violation', async () => {
    const dying = foreign();
    world.ghost();
    world.before = (what) => { if (what === `find ${dying.id}`) world.change(dying.id, { status: 'offline' }); };
    expect((await world.discover()).queued).toBe(1);
  });

  test('a suspect that cannot be looked at again withholds the candidates without crying violation', async () => {
    const suspect = foreign();
    world.ghost();
    world.before = (what) => { if (what === `find ${suspect.id}`) throw new TransientError('502'); };
    const report = await world.discover();
    expect(report).toMatchObject({ queued: 0, withheld: 1, violations: [] });
  });

  test('candidates whose machine was seen terminated need no proof and go at once', async () => {
    const { id } = world.ghost();
    world.machines.set(machineId(id), 'terminated');
    foreign();
    await world.discover();
    expect(queuedIds()).toEqual([id]);
  });

  test('an acknowledged foreign runner neither violates the proof nor becomes a candidate', async () => {
    const phantom = foreign();
    const ghost = world.ghost();
    world.policy = { ...world.policy, acknowledgedForeignRunners: [phantom.name] };
    await world.discover();
    world.change(phantom.id, { status: 'offline' });
    await world.discover();
    expect(new Set(queuedIds())).toEqual(new Set([ghost.id]));
  });

  test('where only terminated machines count, a violation is a metric and no failure, and our own still go', async () => {
    world.policy = { ...world.policy, evidence: 'terminated' };
    foreign();
    world.ghost();
    const own = world.ghost();
    world.machines.set(machineId(own.id), 'terminated');
    const report = await world.discover();
    expect(queuedIds()).toEqual([own.id]);
    expect(report.keptBecause.evidenceInsufficient).toBe(1);
    expect(report.metrics().ScopeViolations).toBe(1);
    expect(report.failures).toEqual([]);
  });

  test('a violation in one group does not stop another group', async () => {
    world.addGroup('2');
    foreign();
    world.ghost();
    const other = world.ghost('2');
    await world.discover();
    expect(queuedIds()).toEqual([other.id]);
  });
});

describe('a reading that ends early', () => {
  const threePages = () => {
    for (let n = 0; n < 250; n += 1) world.ghost();
    world.policy = { ...world.policy, candidatesPerRun: 1000 };
  };
  const breakPage = (page: number) => {
    world.before = (what) => { if (what === `page 1 ${page}`) throw new TransientError('502'); };
  };

  test('withholds what rests on absence when there is no witness', async () => {
    threePages();
    breakPage(2);
    const report = await world.discover();
    expect(report).toMatchObject({ queued: 0, withheld: 150, pagesFailed: 1, pagesRead: 2 });
  });

  test('queues it when a witness was seen', async () => {
    threePages();
    world.living();
    breakPage(2);
    expect((await world.discover()).queued).toBe(150);
  });

  test('tries a page three times before it is skipped, and one success is enough', async () => {
    threePages();
    let left = 2;
    world.before = (what) => { if (what === 'page 1 2' && left-- > 0) throw new TransientError('502'); };
    expect((await world.discover()).queued).toBe(250);
    expect(world.requests.filter((what) => what === 'page 1 2')).toHaveLength(3);
  });

  test('goes on to the next group after three failed pages in a row', async () => {
    for (let n = 0; n < 900; n += 1) world.living();
    world.addGroup('2');
    const other = world.ghost('2');
    world.before = (what) => { if (/^page 1 [2-9]/.test(what)) throw new TransientError('502'); };
    const report = await world.discover();
    expect(report.pagesFailed).toBe(3);
    expect(world.requests).not.toContain('page 1 5');
    expect(queuedIds()).toEqual([other.id]);
  });

  test('a group whose first page fails is still read from the second on', async () => {
    threePages();
    world.living();
    breakPage(1);
    expect((await world.discover()).queued).toBe(150);
  });

  test('is told by a total that is larger than what was shown', async () => {
    world.ghost();
    world.ghost();
    world.pageSize = 1;
    // the entry moves to a page that was read already
    world.before = (what) => { if (what === 'page 1 2') world.registrations.get('1')!.reverse(); };
    expect(await world.discover()).toMatchObject({ queued: 0, withheld: 1 });
  });

  test('starts nothing in the last seconds, and still queues what a witness covers', async () => {
    world.living();
    threePages();
    for (let n = 0; n < 200; n += 1) world.living();
    world.before = (what) => { if (what.startsWith('page')) world.now += 95_000; };
    const report = await world.discover(300);
    expect(report.endedEarly?.reason).toBe('deadline');
    expect(report.failures).toEqual([]);
    expect(world.requests).toHaveLength(4);
    expect(world.queue.length).toBeGreaterThan(0);
  });
});

describe('trouble', () => {
  test('case 26: stopping at the quota reserve is said and is no failure', async () => {
    world.ghost();
    world.before = (what) => { if (what.startsWith('page')) throw new QuotaReserveError('reserve'); };
    const report = await world.discover();
    expect(report.endedEarly?.reason).toBe('quotaReserve');
    expect(report.failures).toEqual([]);
  });

  test.each([
    ['no page was read', new DeadlineError('late')],
    ['a rate limit leaves nothing read', new LimitError('limit')],
    ['permission is missing', new PermissionError('403')],
    ['an error that nobody foresaw', new RangeError('bug')],
  ])('%s: the run fails loudly', async (_, error) => {
    world.before = () => { throw error; };
    expect((await world.discover()).failures).not.toEqual([]);
  });

  test('a group that is listed and answers 404 is skipped, the others are read', async () => {
    world.addGroup('2');
    const other = world.ghost('2');
    world.before = (what) => { if (what === 'page 1 1') throw new NotFoundError('404'); };
    const report = await world.discover();
    expect(report).toMatchObject({ groupsSkipped: 1, failures: [] });
    expect(queuedIds()).toEqual([other.id]);
  });

  test('permission lost in mid-reading keeps what a witness covers, and fails loudly', async () => {
    world.pageSize = 2;
    world.living();
    const ghost = world.ghost();
    world.ghost();
    world.before = (what) => { if (what === 'page 1 2') throw new PermissionError('403'); };
    const report = await world.discover();
    expect(queuedIds()).toEqual([ghost.id]);
    expect(report.failures).not.toEqual([]);
  });
});

describe('progress', () => {
  /** Runs both looks every half hour until no candidate is left, and says how many runs that took. */
  async function drain(ghosts: readonly number[], atMost: number): Promise<number> {
    for (let run = 1; run <= atMost; run += 1) {
      const started = world.now;
      await world.discover();
      await world.confirmAll();
      world.now = Math.max(started + world.policy.interval, world.now);
      if (!world.remaining.some((id) => ghosts.includes(id))) return run;
    }
    throw new Error(`${world.remaining.filter((id) => ghosts.includes(id)).length} ghosts are left after ${atMost} runs`);
  }

  test('case 15: 10,000 ghosts and a budget of 100 are gone after 100 runs', async () => {
    const ghosts = Array.from({ length: 10_000 }, () => world.ghost().id);
    expect(await drain(ghosts, 100)).toBe(100);
  }, 120_000);

  test.each([0, 1, 2])('case 16: ghosts behind a head of 200 undeletable ones go within groups x pages runs (start %d)', async (start) => {
    world.now += start * world.policy.interval;
    const head = Array.from({ length: 200 }, () => world.ghost().id);
    head.forEach((id) => world.answersToDelete.set(id, 'refused'));
    const behind = Array.from({ length: 100 }, () => world.ghost().id);
    expect(await drain(behind, 3)).toBeLessThanOrEqual(3);
    expect(world.remaining).toEqual(head);
  });

  // a group holds 10,000 registrations at most: with 200 undeletable ones, 10,000 ghosts need a second group
  test.each([
    ['in a group of their own', 10_000],
    ['at the head of a full group', 200],
  ])('case 16: 10,000 ghosts and 200 undeletable ones %s: all gone within groups x pages runs', async (_, inSecondGroup) => {
    world.addGroup('2');
    Array.from({ length: 200 }, () => world.ghost('1').id).forEach((id) => world.answersToDelete.set(id, 'refused'));
    const ghosts = Array.from({ length: 10_000 }, (__, index) => world.ghost(index < 10_000 - inSecondGroup ? '1' : '2').id);
    expect(await drain(ghosts, 2 * 100)).toBeLessThanOrEqual(2 * 100);
  }, 120_000);

  // As many runs as pages would be 102. No rule without memory keeps to that: the number of pages, by which the turns are counted, falls with
  // every run, and nothing tells an undeletable page that had its turn from a page that is still to come.
  test('case 16: 10,000 ghosts behind 200 undeletable ones take at most a quarter more runs than they fill pages', async () => {
    const head = Array.from({ length: 200 }, () => world.ghost().id);
    head.forEach((id) => world.answersToDelete.set(id, 'refused'));
    const behind = Array.from({ length: 10_000 }, () => world.ghost().id);
    expect(await drain(behind, 125)).toBeLessThanOrEqual(125);
  }, 120_000);

  test('undeletable ghosts at the head of a single page do not hold up the ones behind them, however small the budget', async () => {
    const head = Array.from({ length: 30 }, () => world.ghost().id);
    head.forEach((id) => world.answersToDelete.set(id, 'refused'));
    const behind = Array.from({ length: 10 }, () => world.ghost().id);
    world.policy = { ...world.policy, candidatesPerRun: 10 };
    expect(await drain(behind, 8)).toBeLessThanOrEqual(8);
  });

  test('case 28: 5,000 stopped machines in front only delay 10,000 ghosts behind them', async () => {
    for (let n = 0; n < 5000; n += 1) world.machines.set(machineId(world.ghost().id), 'present');
    const behind = Array.from({ length: 10_000 }, () => world.ghost().id);
    // 150 pages allow 150 runs; the budget alone needs 100
    expect(await drain(behind, 100)).toBe(100);
  }, 120_000);

  test('every page comes first in turn, also while registrations disappear during the reading', async () => {
    const ghosts = Array.from({ length: 600 }, () => world.ghost().id);
    for (let n = 0; n < 300; n += 1) world.living();
    world.before = (what) => {
      if (!what.startsWith('page')) return;
      const living = world.registrations.get('1')!.find(({ status }) => status === 'online');
      if (living) world.remove(living.id);
    };
    expect(await drain(ghosts, 20)).toBeLessThanOrEqual(20);
  });

  test('the groups take turns', async () => {
    world.addGroup('2');
    for (const group of ['1', '2']) for (let n = 0; n < 100; n += 1) world.ghost(group);
    const firstRead: string[] = [];
    for (let run = 0; run < 2; run += 1) {
      world.requests = [];
      await world.discover();
      firstRead.push(world.requests.find((what) => what.startsWith('page'))!);
      world.now += 30 * MINUTE;
    }
    expect(new Set(firstRead)).toEqual(new Set(['page 1 1', 'page 2 1']));
  });
});

test('case 12: 237 registrations over pages of 100, 37 and 100 are all seen', async () => {
  const seen: number[] = [];
  const ids = Array.from({ length: 237 }, () => world.living().id);
  const pages = [ids.slice(0, 100), ids.slice(100, 137), ids.slice(137)];
  const ports = world.firstLookPorts();
  const all = world.registrations.get('1')!;
  await (await import('../../../lambda-src/janitor/discover')).discover({
    ...ports,
    registrations: {
      ...ports.registrations,
      readPage: async (_, page) => ({ registrations: all.filter(({ id }) => pages[page - 1]?.includes(id)), totalCount: 237, hasNext: page < 3 }),
    },
    machines: { ...ports.machines, lookup: async (wanted) => { seen.push(...wanted.map((id) => parseInt(id.slice(2), 16))); return new Map(); } },
  }, world.policy);
  expect(new Set(seen)).toEqual(new Set(ids));
});

test('one list request for each page and group, one look-up for each page', async () => {
  for (let n = 0; n < 1050; n += 1) world.living();
  await world.discover();
  expect(world.requests).toHaveLength(12);
  expect(world.lookups).toHaveLength(11);
});
