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
