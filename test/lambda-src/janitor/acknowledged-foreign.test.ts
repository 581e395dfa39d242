import { TransientError } from '../../../lambda-src/shared/errors';
import { machineId, MINUTE, World } from '../../support/janitor/world';

let world: World;
beforeEach(() => { world = new World(); });

/** An online runner with our kind of name and no machine of ours, which somebody has acknowledged. */
function phantom() {
  const runner = world.add({ status: 'online' });
  world.policy = { ...world.policy, acknowledgedForeignRunners: [runner.name] };
  return runner;
}

test('case 13: with an acknowledged phantom online at both looks, cleaning goes on', async () => {
  phantom();
  const ghost = world.ghost();
  expect(await world.discover()).toMatchObject({ queued: 1, withheld: 0, violations: [], failures: [] });
  expect(await world.confirmAll()).toEqual({ deleted: 1 });
  expect(world.deleted).toEqual([ghost.id]);
});

test('its machine is none of ours to look for at the second look', async () => {
  const { id } = phantom();
  const ghost = world.ghost();
  world.now += 20 * MINUTE;
  await world.confirm([world.message(ghost)]);
  expect(world.lookups.flat()).toEqual([machineId(ghost.id)]);
  expect(world.requests).not.toContain(`find ${id}`);
});

test('it is no witness either: with a machine that we see, it carries no reading that ends early', async () => {
  const { id } = phantom();
  world.machines.set(machineId(id), 'present');
  for (let n = 0; n < 150; n += 1) world.ghost();
  world.before = (what) => { if (what === 'page 1 2') throw new TransientError('502'); };
  expect(await world.discover()).toMatchObject({ queued: 0, withheld: 99 });
});

test('it acknowledges nobody else: another runner without a machine withholds and stops everything as before', async () => {
  phantom();
  const ghost = world.ghost();
  await world.discover();
  const other = world.add({ status: 'online' });
  expect(await world.confirmAll()).toEqual({ scopeSuspect: 1 });
  expect(await world.discover()).toMatchObject({ queued: 0, withheld: 1, violations: [{ runner: { id: other.id } }] });
  expect(world.remaining).toContain(ghost.id);
});
