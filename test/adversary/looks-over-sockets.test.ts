import type { GitHubConfig } from '../../lambda-src/github/github';
import { openBatch } from '../../lambda-src/janitor/confirm';
import { Harness } from '../lambda-src/github/harness';
import type { Sent } from '../support/janitor/world';
import { machineId, runnerName, World } from '../support/janitor/world';

/** Both looks with GitHub over sockets, and everything else from memory. */

let harness: Harness;
beforeEach(async () => { harness = await Harness.start(); });
afterEach(() => harness.github.stop());

async function confirm(config: Partial<GitHubConfig>, make: (world: World) => readonly Sent[], groupKeys?: readonly string[]) {
  const world = new World();
  world.now = harness.time;
  const session = await harness.connect(config).session(harness.deadline(120), { sticky: true });
  const received = make(world).map((message, index) => ({ fromFirstLook: true, ...message, messageId: `m${index}`, receiptHandle: `r${index}` }));
  const batch = await openBatch({ ...world.ports(120), registrations: session }, { ...world.policy, groupKeys }, received);
  for (const { messageId } of received) await batch.settle(messageId);
  return batch.report.outcomes;
}

const nominate = (n: number) => (world: World) => {
  world.machines.set(machineId(n), 'terminated');
  return [world.nomination(runnerName(n))];
};

function addGhost(n: number, groupName: string) {
  const groupId = harness.github.addGroup('acme', { name: groupName });
  const { id, name } = harness.github.addRunner('acme', groupId, { name: runnerName(n) });
  return { id, name, groupId, group: { key: String(groupId), name: groupName, pages: 1 } };
}

describe('a nomination is settled', () => {
  test('although one of the configured repositories does not exist any more', async () => {
    harness.addApp(1);
    harness.github.addRepository('acme/one');
    const { id } = harness.github.addRepositoryRunner('acme/one', { name: runnerName(1) });
    const scope = { kind: 'repositories', owner: 'acme', repositories: ['removed', 'one', 'removed too'] } as const;
    expect(await confirm({ scope }, nominate(1), ['acme/removed', 'acme/one', 'acme/removed too'])).toEqual({ deleted: 1 });
    expect(harness.github.deletions).toEqual([id]);
  });

  test('although an older server ignores the filter and shows its first hundred runners', async () => {
    harness.addApp(1);
    harness.github.settings.olderServer = true;
    const { groupId } = addGhost(1, 'ghosts');
    for (let n = 2; n <= 220; n += 1) harness.github.addRunner('acme', groupId, { name: runnerName(n) });
    expect(await confirm({}, nominate(220))).toEqual({ deleted: 1 });
    expect(await confirm({}, nominate(221))).toEqual({ alreadyGone: 1 });
  });
});
