import { LimitError, NotFoundError, PermissionError, TransientError } from '../../../lambda-src/shared/errors';
import { machineId, MINUTE, runnerName, World } from '../../support/janitor/world';

let world: World;
beforeEach(() => { world = new World(); });

const group = (pages: number) => ({ group: { key: '1', name: 'spot', pages } });

/** A ghost, and behind it an online runner without a machine: whoever samples the group finds the inventory blind. */
function blindInventory() {
  const ghost = world.ghost();
  const witness = world.add({ status: 'online' });
  world.now += 20 * MINUTE;
  return { ghost, witness };
}

test.each([1, 2, 1e9, Number.MAX_SAFE_INTEGER])('a message that remembers %d pages of a group that has one cannot dodge the proof', async (pages) => {
  const { ghost, witness } = blindInventory();
  world.random = () => 0.999;
  expect((await world.confirm([world.message(ghost, group(pages))])).outcomes).toEqual({ scopeSuspect: 1 });
  expect(world.logged('error')).toContain(witness.name);
});

test('where only terminated machines count, what the sample finds calls for nobody', async () => {
  world.policy = { ...world.policy, evidence: 'terminated' };
  const { ghost, witness } = blindInventory();
  expect((await world.confirm([world.message(ghost)])).outcomes).toEqual({ evidenceInsufficient: 1 });
  expect(world.logged('error')).toBe('');
  expect(world.logged('info')).toContain(witness.name);
});

test('a group that has shrunk costs one more request, and every page of it can be drawn', async () => {
  const ghosts = Array.from({ length: 250 }, () => world.ghost());
  world.now += 20 * MINUTE;
  const draws = [0.9, 0.5];
  world.random = () => draws.shift() ?? 0;
  expect((await world.confirm([world.message(ghosts[0]!, group(40))])).outcomes).toEqual({ deleted: 1 });
  expect(world.requests.slice(0, 2)).toEqual(['page 1 37', 'page 1 2']);
});

test('a page that is empty although the group is not proves nothing', async () => {
  const ghost = world.ghost();
  world.now += 20 * MINUTE;
  // 40 counted, none shown
  world.pageSize = 0;
  const { outcomes, returned } = await world.confirm([world.message(ghost)]);
  expect({ outcomes, returned }).toEqual({ outcomes: { unknown: 1 }, returned: [0] });
});

test('a group that is empty by now lets the candidate find out that it is gone', async () => {
  world.now += 20 * MINUTE;
  expect((await world.confirm([world.message({ id: 1, name: runnerName(1) }, group(3))])).outcomes).toEqual({ alreadyGone: 1 });
});

describe('an online runner whose machine could not be looked up', () => {
  test('leaves the proof open at the second look', async () => {
    const { ghost, witness } = blindInventory();
    world.machines.set(machineId(witness.id), 'unknown');
    const { outcomes, returned } = await world.confirm([world.message(ghost)]);
    expect({ outcomes, returned }).toEqual({ outcomes: { unknown: 1 }, returned: [0] });
  });

  test('withholds at the first look what rests on absence', async () => {
    world.ghost();
    const online = world.add({ status: 'online' });
    world.machines.set(machineId(online.id), 'unknown');
    expect(await world.discover()).toMatchObject({ queued: 0, withheld: 1, violations: [] });
  });

  test('is outweighed by a witness', async () => {
    const { ghost, witness } = blindInventory();
    world.machines.set(machineId(witness.id), 'unknown');
    world.living();
    await world.discover();
    expect(world.queue).toHaveLength(1);
    expect((await world.confirm([world.message(ghost)])).outcomes).toEqual({ deleted: 1 });
  });
});

describe('groups that hang', () => {
  /** As in reality: what is asked for at once hangs at once, and gives up at the same time. */
  function hanging(...keys: readonly string[]) {
    const ports = world.ports.bind(world);
    const passing = async (milliseconds: number) => {
      const end = world.now + milliseconds;
      await new Promise((resolve) => setImmediate(resolve));
      world.now = Math.max(world.now, end);
    };
    const asked: string[] = [];
    world.ports = (seconds) => {
      const made = ports(seconds);
      const readPage: typeof made.registrations.readPage = async (place, page) => {
        if (!keys.includes(place.key)) return made.registrations.readPage(place, page);
        asked.push(place.key);
        await passing(10_000);
        throw new TransientError('no complete answer in time');
      };
      return { ...made, sleep: passing, registrations: { ...made.registrations, readPage } };
    };
    return asked;
  }
  const keys = ['2', '3', '4', '5', '6', '7', '8', '9', '10'];

  test.each(['first', 'last'])('cost the time of one, so that the candidate of another one that comes %s is judged all the same', async (place) => {
    const ghost = world.ghost();
    const others = keys.map((key) => {
      world.addGroup(key);
      return world.message(world.ghost(key), { group: { key, name: `group ${key}`, pages: 1 } });
    });
    const asked = hanging(...keys);
    const start = world.now;
    const messages = place === 'first' ? [world.message(ghost), ...others] : [...others, world.message(ghost)];
    expect((await world.confirm(messages)).outcomes).toEqual({ deleted: 1, unknown: 9 });
    expect(world.now - start).toBeLessThan(25_000);
    expect(asked.length).toBeLessThanOrEqual(2 * keys.length);
  });

  test('do not hold up a candidate whose machine is seen terminated', async () => {
    world.addGroup('2');
    const ghost = world.ghost('2');
    world.change(ghost.id, { groupKey: '2' });
    world.machines.set(machineId(ghost.id), 'terminated');
    hanging('2');
    expect((await world.confirm([world.message(ghost, { group: { key: '2', name: 'group 2', pages: 1 } })])).outcomes).toEqual({ deleted: 1 });
  });

  test('are not asked again once their share of the time is used up', async () => {
    const [first, second] = [world.ghost(), world.ghost()];
    world.before = (what) => { if (what === 'page 1 1') { world.now += 40_000; throw new TransientError('no complete answer in time'); } };
    world.machines.set(machineId(first.id), 'terminated').set(machineId(second.id), 'terminated');
    const start = world.now;
    expect((await world.confirm([world.message(first), world.message(second)])).outcomes).toEqual({ deleted: 2 });
    expect(world.now - start).toBe(40_000);
  });
});

test('suspects that hang when they are read again leave time for the candidates of other groups', async () => {
  const ghost = world.ghost();
  world.addGroup('2');
  for (let n = 0; n < 50; n += 1) world.add({ status: 'online', groupKey: '2' }, '2');
  const other = world.ghost('2');
  world.before = (what) => {
    if (!what.startsWith('find') || what === `find ${ghost.id}`) return;
    world.now += 10_000;
    throw new TransientError('no complete answer in time');
  };
  const { outcomes } = await world.confirm([world.message(other, { group: { key: '2', name: 'group 2', pages: 1 } }), world.message(ghost)]);
  expect(outcomes).toEqual({ unknown: 1, deleted: 1 });
});

test.each([new PermissionError('403'), new NotFoundError('404'), new LimitError('429'), new TransientError('502')])('a group that has become unreadable (%s) stops no candidate of another one', async (error) => {
  const ghost = world.ghost();
  world.addGroup('2');
  const other = world.ghost('2');
  world.before = (what) => { if (what.startsWith('page 2')) throw error; };
  const { outcomes } = await world.confirm([world.message(other, { group: { key: '2', name: 'group 2', pages: 1 } }), world.message(ghost)]);
  expect(outcomes).toEqual({ unknown: 1, deleted: 1 });
});

describe('a group that was removed at GitHub', () => {
  const removed = { group: { key: '7', name: 'removed', pages: 1 } };
  beforeEach(() => {
    world.before = (what) => { if (what.startsWith('page 7')) throw new NotFoundError('404'); };
  });

  test.each(['absent', 'terminated'] as const)('settles its candidates, which stand elsewhere now (evidence %s)', async (evidence) => {
    const ghost = world.ghost();
    const { outcomes, returned } = await world.confirm([world.message(ghost, { ...removed, evidence })]);
    expect({ outcomes, returned, deleted: world.deleted }).toEqual({ outcomes: { moved: 1 }, returned: [], deleted: [] });
  });

  test('says so, once for each candidate, and asks for the list of groups once', async () => {
    const ghosts = [world.ghost(), world.ghost()];
    await world.confirm(ghosts.map((ghost) => world.message(ghost, removed)));
    expect(world.logged('info').match(/its group was removed at GitHub/g)).toHaveLength(2);
    expect(world.requests.filter((what) => what === 'groups')).toHaveLength(1);
  });

  test('settles them on a host whose answers name no group as well', async () => {
    world.namesGroups = false;
    const ghost = world.ghost();
    world.machines.set(machineId(ghost.id), 'terminated');
    expect((await world.confirm([world.message(ghost, removed)])).outcomes).toEqual({ moved: 1 });
  });

  test('leaves them in doubt as long as GitHub lists it', async () => {
    world.addGroup('7');
    const ghost = world.ghost('7');
    expect(await world.confirm([world.message(ghost, removed)])).toMatchObject({ outcomes: { unknown: 1 }, returned: [0] });
  });

  test('leaves them in doubt when the groups cannot be listed: its 404 may be a missing permission', async () => {
    const { before } = world;
    world.before = (what) => { before(what); if (what === 'groups') throw new PermissionError('403'); };
    expect(await world.confirm([world.message(world.ghost(), removed)])).toMatchObject({ outcomes: { unknown: 1 }, returned: [0] });
  });

  test('is found again by the next scan, in the group where its registrations are now', async () => {
    const ghost = world.ghost();
    await world.confirm([world.message(ghost, removed)]);
    await world.discover();
    expect(await world.confirmAll()).toEqual({ deleted: 1 });
  });
});

describe('an inventory that is blind for one look-up and sees again with the next', () => {
  /** Answers the look-ups with these numbers as if nothing existed. */
  function blindDuring(...lookups: number[]) {
    const truth = new Map(world.machines);
    let count = 0;
    world.before = (what) => {
      if (what === 'lookup') world.machines = lookups.includes(count += 1) ? new Map() : truth;
    };
  }

  test('does not make candidates at the first look', async () => {
    world.living();
    // GitHub holds it for dead, as it sometimes does
    world.living({ status: 'offline' });
    const ghost = world.ghost();
    blindDuring(1);
    await world.discover();
    expect(world.queue.map(({ body }) => JSON.parse(body).runner.id)).toEqual([ghost.id]);
  });

  test('does not let them be deleted at the second look', async () => {
    world.living();
    const living = world.living({ status: 'offline' });
    const ghost = world.ghost();
    world.now += 20 * MINUTE;
    blindDuring(1);
    const { outcomes } = await world.confirm([world.message(living), world.message(ghost)]);
    expect(outcomes).toEqual({ machinePresent: 1, deleted: 1 });
    expect(world.deleted).toEqual([ghost.id]);
  });

  test('is not trusted when the second question fails', async () => {
    world.living();
    const living = world.living({ status: 'offline' });
    world.now += 20 * MINUTE;
    const truth = new Map(world.machines);
    let count = 0;
    world.before = (what) => {
      if (what === 'lookup') world.machines = (count += 1) === 1 ? new Map() : new Map([...truth].map(([id, state]) => [id, id === machineId(living.id) ? 'unknown' : state]));
    };
    const { outcomes, returned } = await world.confirm([world.message(living)]);
    expect({ outcomes, returned }).toEqual({ outcomes: { unknown: 1 }, returned: [0] });
  });
});
