import { World } from '../../support/janitor/world';

/** Names of those that one run more has queued, while nothing of it is confirmed. */
async function queuedByNextRun(world: World): Promise<ReadonlySet<number>> {
  const before = world.queue.length;
  await world.discover();
  world.now += world.policy.interval;
  return new Set(world.queue.slice(before).map(({ body }) => (JSON.parse(body) as { runner: { id: number } }).runner.id));
}

const common = (one: ReadonlySet<number>, other: ReadonlySet<number>) => [...one].filter((id) => other.has(id)).length;

test.each([0, 1, 7])('a run leaves alone what the run before it has queued, but for the page whose turn it is (start %d)', async (start) => {
  const world = new World();
  world.now += start * world.policy.interval;
  world.policy = { ...world.policy, candidatesPerRun: 1000 };
  for (let n = 0; n < 3000; n += 1) world.ghost();
  const [first, second, third] = [await queuedByNextRun(world), await queuedByNextRun(world), await queuedByNextRun(world)];
  expect([first.size, second.size, third.size]).toEqual([1000, 1000, 1000]);
  // a page of 100 comes first for the sake of fairness, half of it belongs to the other run
  expect(common(first, second)).toBeLessThanOrEqual(100);
  expect(common(second, third)).toBeLessThanOrEqual(100);
});

test('where the budget is enough for all ghosts, all of them are queued in one run', async () => {
  const world = new World();
  const ghosts = Array.from({ length: 90 }, () => world.ghost().id);
  expect(await queuedByNextRun(world)).toEqual(new Set(ghosts));
});

test('with two groups, a run that begins with the other group leaves alone what waits of this one', async () => {
  const world = new World();
  world.addGroup('2');
  world.policy = { ...world.policy, candidatesPerRun: 500 };
  for (let n = 0; n < 2000; n += 1) world.ghost();
  expect(common(await queuedByNextRun(world), await queuedByNextRun(world))).toBeLessThanOrEqual(100);
});
