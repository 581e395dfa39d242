import { machineId, MINUTE, World } from '../../support/janitor/world';

/** A look-up that answers without a word about some of the machines that it was asked for: nothing is known of them. */

let world: World;
beforeEach(() => { world = new World(); });

const unanswered = (...ids: number[]) => { world.unanswered = ids.map(machineId); };

/** The second look-up, which asks again because of a suspect, leaves one machine out; `seen` is there by then. */
function unansweredAgain(id: number, seen?: number): void {
  let lookups = 0;
  world.before = (what) => {
    if (what !== 'lookup' || (lookups += 1) !== 2) return;
    unanswered(id);
    if (seen !== undefined) world.machines.set(machineId(seen), 'present');
  };
}

const queuedIds = () => world.queue.map(({ body }) => (JSON.parse(body) as { runner: { id: number } }).runner.id);

describe('at the first look', () => {
  test('its registration is kept, and where that goes for all of them the run fails', async () => {
    unanswered(world.ghost().id);
    const report = await world.discover();
    expect(report).toMatchObject({ queued: 0, keptBecause: { machineUnknown: 1 } });
    expect(report.failures).toEqual(['none of 1 machines could be looked up in all configured places']);
  });

  test('an online runner of it is neither a suspect nor a witness', async () => {
    unanswered(world.add({ status: 'online' }).id);
    world.ghost();
    expect(await world.discover()).toMatchObject({ queued: 0, withheld: 1, violations: [] });
    world.living();
    expect(await world.discover()).toMatchObject({ queued: 1, withheld: 0, violations: [] });
  });

  test('a suspect of which nothing is said again is no violation, but withholds what rests on absence', async () => {
    world.ghost();
    unansweredAgain(world.add({ status: 'online' }).id);
    expect(await world.discover()).toMatchObject({ queued: 0, withheld: 1, violations: [] });
  });

  test('a candidate of which nothing is said again is not queued', async () => {
    const late = world.add({ status: 'online' });
    const [ghost, doubtful] = [world.ghost(), world.ghost()];
    unansweredAgain(doubtful.id, late.id);
    await world.discover();
    expect(queuedIds()).toEqual([ghost.id]);
  });
});

describe('at the second look', () => {
  beforeEach(() => { world.now += 20 * MINUTE; });
  const returned = { outcomes: { unknown: 1 }, returned: [0] };

  test('its candidate goes back to the queue', async () => {
    world.living();
    const ghost = world.ghost();
    unanswered(ghost.id);
    expect(await world.confirm([world.message(ghost)])).toMatchObject(returned);
  });

  test('an online runner of it leaves the proof open', async () => {
    const ghost = world.ghost();
    unanswered(world.add({ status: 'online' }).id);
    expect(await world.confirm([world.message(ghost)])).toMatchObject(returned);
  });

  test('an online runner of it is outweighed by a witness', async () => {
    const ghost = world.ghost();
    unanswered(world.add({ status: 'online' }).id);
    world.living();
    expect((await world.confirm([world.message(ghost)])).outcomes).toEqual({ deleted: 1 });
  });

  test('a suspect of which nothing is said again leaves the proof open', async () => {
    const ghost = world.ghost();
    unansweredAgain(world.add({ status: 'online' }).id);
    expect(await world.confirm([world.message(ghost)])).toMatchObject(returned);
    expect(world.logged('error')).toBe('');
  });

  test('a candidate of which nothing is said again goes back to the queue', async () => {
    const late = world.add({ status: 'online' });
    const ghost = world.ghost();
    unansweredAgain(ghost.id, late.id);
    expect(await world.confirm([world.message(ghost)])).toMatchObject(returned);
  });
});
