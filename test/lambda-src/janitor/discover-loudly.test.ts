import { discover } from '../../../lambda-src/janitor/discover';
import { PermissionError, TransientError } from '../../../lambda-src/shared/errors';
import { machineId, World } from '../../support/janitor/world';

let world: World;
beforeEach(() => { world = new World(); });

const queuedIds = () => world.queue.map(({ body }) => JSON.parse(body).runner.id);

describe('a group that no credential may read', () => {
  test.each([0, 1, 2])('does not keep the others from being read, and the run fails with its name and the reason (turn %d)', async (turn) => {
    world.now += turn * world.policy.interval;
    ['2', '3'].forEach((key) => world.addGroup(key));
    const ghosts = ['1', '2', '3'].map((key) => world.ghost(key).id);
    world.before = (what) => { if (what.startsWith('page 2')) throw new PermissionError('GET /repos/acme/two: 403 Resource not accessible'); };
    const report = await world.discover();
    expect(new Set(queuedIds())).toEqual(new Set([ghosts[0], ghosts[2]]));
    expect(report.failures).toEqual(['no credential may read the registrations of group 2: PermissionError: GET /repos/acme/two: 403 Resource not accessible']);
    expect(report.metrics().EndedEarly).toBe(1);
  });

  test('is asked nothing more, not even for the suspects it has shown', async () => {
    world.pageSize = 1;
    const suspect = world.add({ status: 'online' });
    world.ghost();
    world.before = (what) => { if (what === 'page 1 2') throw new PermissionError('403'); };
    await world.discover();
    expect(world.requests).not.toContain(`find ${suspect.id}`);
  });
});

test('a run without a failure says so in a metric, and one with a failure does not', async () => {
  world.living();
  expect((await world.discover()).metrics()).toMatchObject({ FirstLooksSucceeded: 1 });
  world.before = () => { throw new PermissionError('403'); };
  expect((await world.discover()).metrics()).toMatchObject({ FirstLooksSucceeded: 0 });
});

test('a run that finds nothing to clean has succeeded too', async () => {
  expect((await world.discover()).metrics()).toMatchObject({ FirstLooksSucceeded: 1, Candidates: 0 });
});

test('a configured group that does not exist is counted and named, and does not keep the others from being read', async () => {
  world.missingGroups = ["'sopt'", 'with id 7'];
  const { id } = world.ghost();
  const report = await world.discover();
  expect(queuedIds()).toEqual([id]);
  expect(report.failures).toEqual([]);
  expect(report.metrics().GroupsSkipped).toBe(2);
  expect(report.summary()).toMatchObject({ groupsSkipped: 2, missingGroups: ["'sopt'", 'with id 7'] });
});

describe('candidates that rest on absence', () => {
  const NOTE = 'nothing shows that we look in the right places: no online runner of ours is in this group';
  const notes = () => world.lines.filter(({ message }) => message === NOTE);

  test('are pointed out, once for each group, where nothing shows that we look in the right places', async () => {
    world.pageSize = 2;
    world.addGroup('2');
    for (let n = 0; n < 3; n += 1) world.ghost();
    world.add({ name: 'foreign', status: 'online' });
    world.ghost('2');
    const report = await world.discover();
    expect(report.queued).toBe(4);
    expect(report.summary()).toMatchObject({ queued: 4, withoutWitness: 4 });
    expect(notes().map(({ level, fields }) => ({ level, ...fields }))).toEqual([
      { level: 'info', group: 'spot', candidates: 3 },
      { level: 'info', group: 'group 2', candidates: 1 },
    ]);
  });

  test('are no matter for a person where an online runner has its machine', async () => {
    world.living();
    world.ghost();
    expect((await world.discover()).summary()).toMatchObject({ queued: 1, withoutWitness: 0 });
    expect(notes()).toEqual([]);
  });

  test('are not counted when they could not be queued', async () => {
    world.ghost();
    const ports = world.firstLookPorts();
    const report = await discover({ ...ports, queue: { ...ports.queue, send: async (candidates) => candidates } }, world.policy);
    expect(report.withoutWitness).toBe(0);
    expect(notes()).toEqual([]);
  });
});

describe('a group without an online runner of ours that cannot be read to its end', () => {
  const WARNING = 'candidates withheld: the group was not read to its end, and no online runner of ours shows that we look in the right places';
  const warnings = () => world.lines.filter(({ message }) => message === WARNING)
    .map(({ level, fields: { group, candidates } }) => ({ level, group, candidates }));

  test('because one page always fails is pointed out by the metric of readings that end early, in every run, and by a warning', async () => {
    for (let n = 0; n < 1000; n += 1) world.ghost();
    world.before = (what) => { if (what === 'page 1 7') throw new TransientError('500'); };
    for (let run = 0; run < 10; run += 1) {
      const report = await world.discover();
      expect(report).toMatchObject({ queued: 0, withheld: 100, failures: [] });
      expect(report.metrics()).toMatchObject({ EndedEarly: 1, PagesFailed: 1 });
      world.now += world.policy.interval;
    }
    expect(warnings()).toEqual(Array.from({ length: 10 }, () => ({ level: 'warn', group: 'spot', candidates: 100 })));
  });

  test('because it is too large for one run is pointed out in the same way', async () => {
    for (let n = 0; n < 10_000; n += 1) world.ghost();
    world.before = (what) => { world.now += what.startsWith('page') ? 2500 : what === 'lookup' ? 1000 : 0; };
    const report = await world.discover();
    expect(report.metrics()).toMatchObject({ EndedEarly: 1 });
    expect(report.summary()).toMatchObject({ queued: 0, withheld: 100, withheldUnread: 100 });
    expect(warnings()).toHaveLength(1);
  });

  test('is no matter for a person when it has nothing to clean', async () => {
    for (let n = 0; n < 300; n += 1) world.machines.set(machineId(world.ghost().id), 'present');
    world.before = (what) => { if (what === 'page 1 2') throw new TransientError('500'); };
    expect((await world.discover()).metrics()).toMatchObject({ EndedEarly: 0, PagesFailed: 1 });
  });

  test('is told apart from one in which a suspect withholds the candidates', async () => {
    world.add({ status: 'online' });
    for (let n = 0; n < 150; n += 1) world.ghost();
    world.before = (what) => { if (what === 'page 1 2') throw new TransientError('500'); };
    const report = await world.discover();
    expect(report.metrics()).toMatchObject({ EndedEarly: 0, ScopeViolations: 1 });
    expect(report.summary()).toMatchObject({ withheld: 99, withheldUnread: 0 });
    expect(warnings()).toEqual([]);
  });
});

test('a candidate whose machine was seen terminated needs no witness', async () => {
  world.machines.set(machineId(world.ghost().id), 'terminated');
  expect((await world.discover()).summary()).toMatchObject({ queued: 1, withoutWitness: 0 });
});

test('a run in which no machine could be looked up fails', async () => {
  const ids = [world.ghost(), world.ghost()].map(({ id }) => id);
  ids.forEach((id) => world.machines.set(machineId(id), 'unknown'));
  expect((await world.discover()).failures).toEqual(['none of 2 machines could be looked up in all configured places']);
});

test('a run in which some machines could not be looked up is left to the metric', async () => {
  world.machines.set(machineId(world.ghost().id), 'unknown');
  world.living();
  const report = await world.discover();
  expect(report.failures).toEqual([]);
  expect(report.metrics().LookupsUnknown).toBe(1);
});

test('a run that can queue none of its candidates fails', async () => {
  world.ghost();
  const ports = world.firstLookPorts();
  const report = await discover({ ...ports, queue: { ...ports.queue, send: async (candidates) => candidates } }, world.policy);
  expect(report.failures).toEqual(['none of 1 candidates could be queued']);
});

test('a transient failure of one page is no failure of the run', async () => {
  world.pageSize = 1;
  world.living();
  world.living();
  world.before = (what) => { if (what === 'page 1 2') throw new TransientError('502'); };
  expect((await world.discover()).failures).toEqual([]);
});
