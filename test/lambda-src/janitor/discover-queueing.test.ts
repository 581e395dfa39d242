import { discover } from '../../../lambda-src/janitor/discover';
import type { CandidateMessage } from '../../../src/contract/candidate-message';
import { machineId, MINUTE, World } from '../../support/janitor/world';

/** When a first look queues, and how much. */

let world: World;
beforeEach(() => { world = new World(); });

/** So many ghosts whose machines were seen in their final state. */
function terminated(count: number): readonly number[] {
  const ids = Array.from({ length: count }, () => world.ghost().id);
  for (const id of ids) world.machines.set(machineId(id), 'terminated');
  return ids;
}

test('a candidate whose machine was seen terminated is on the queue before the next page is asked for', async () => {
  terminated(200);
  world.policy = { ...world.policy, candidatesPerRun: 1000 };
  let queuedBefore = -1;
  world.before = (what) => { if (what === 'page 1 2') queuedBefore = world.queue.length; };
  await world.discover();
  expect(queuedBefore).toBe(100);
  expect(world.queue).toHaveLength(200);
});

test('what did not get onto the queue takes nothing of the budget from what comes after it', async () => {
  const ids = terminated(200);
  world.policy = { ...world.policy, candidatesPerRun: 100 };
  const ports = world.firstLookPorts();
  const sent: number[] = [];
  let batches = 0;
  const send = async (candidates: readonly CandidateMessage[]) => {
    if ((batches += 1) === 1) return candidates;
    sent.push(...candidates.map(({ runner }) => runner.id));
    return [];
  };
  expect(await discover({ ...ports, queue: { ...ports.queue, send } }, world.policy)).toMatchObject({ queued: 100, sendsFailed: 100, budgetLeft: 0 });
  expect(sent).toEqual(ids.slice(100));
});

test.each([20, 24 * 60])('the groups take turns by the interval of the schedule, here of %d minutes', async (minutes) => {
  world.addGroup('2');
  world.policy = { ...world.policy, interval: minutes * MINUTE };
  const firstRead: (string | undefined)[] = [];
  for (let run = 0; run < 4; run += 1) {
    world.requests = [];
    await world.discover();
    firstRead.push(world.requests.find((what) => what.startsWith('page')));
    world.now += world.policy.interval;
  }
  expect(firstRead.slice(2)).toEqual(firstRead.slice(0, 2));
  expect(new Set(firstRead)).toEqual(new Set(['page 1 1', 'page 2 1']));
});
