import { secondLook } from './second-look';
import type { InvocationDeadline } from '../../lambda-src/github/fetch';
import { Harness } from '../lambda-src/github/harness';
import type { Sent, World } from '../support/janitor/world';
import { machineId, runnerName } from '../support/janitor/world';

/** Groups that are gone, not ours, or not to be read, at the second look: GitHub over sockets, everything else from memory. */

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.start();
  harness.addApp(1);
});
afterEach(() => harness.github.stop());

async function confirm(make: (world: World) => readonly Sent[], deadline: InvocationDeadline = harness.deadline(120)) {
  const session = await harness.connect().session(deadline, { sticky: true });
  return secondLook(harness.time, session, make);
}

function addGhost(n: number, groupName: string) {
  const id = harness.github.addGroup('acme', { name: groupName });
  const { id: runnerId, name } = harness.github.addRunner('acme', id, { name: runnerName(n) });
  return { id: runnerId, name, group: { key: String(id), name: groupName, pages: 1 } };
}

const REMOVED = { key: '77', name: 'removed', pages: 1 };

test('a candidate of a group that was removed is settled instead of filling the dead-letter queue', async () => {
  const ghost = addGhost(1, 'ghosts');
  expect(await confirm((world) => [world.message(ghost, { group: REMOVED })])).toEqual({ outcomes: { moved: 1 }, done: [true] });
});

test('a group that answers 404 to an App that cannot list the groups either leaves it open', async () => {
  const ghost = addGhost(1, 'ghosts');
  harness.github.fault({ path: /runner-groups$/ }, { status: 404 });
  expect(await confirm((world) => [world.message(ghost, { group: REMOVED })])).toEqual({ outcomes: { unknown: 1 }, done: [false] });
});

test.each(['permission403', { status: 404 }, 'hang'] as const)('of a group that is not configured and answers %j nothing is asked, whoever writes it into a message', async (effect) => {
  const ghost = addGhost(1, 'ghosts');
  const fault = harness.github.fault({ path: /runner-groups\/99\/runners/ }, effect);
  const { outcomes } = await confirm((world) => [
    world.forged({ id: 5, name: runnerName(5) }, { group: { key: '99', name: 'of the enterprise', pages: 1 } }),
    world.message(ghost, { group: ghost.group }),
  ]);
  expect(outcomes).toEqual({ evidenceInsufficient: 1, deleted: 1 });
  expect([fault.hits, harness.github.deletions]).toEqual([0, [ghost.id]]);
});

test('a nomination on an older server finds its group although another one cannot be read', async () => {
  harness.github.settings.olderServer = true;
  harness.github.addGroup('acme', { name: 'broken', id: 50 });
  const ghost = addGhost(1, 'ghosts');
  harness.github.fault({ path: /runner-groups\/50\/runners/ }, { status: 502 });
  const { outcomes } = await confirm((world) => {
    world.machines.set(machineId(1), 'terminated');
    return [world.nomination(ghost.name)];
  });
  expect(outcomes).toEqual({ deleted: 1 });
});

test('ten groups are sampled with one token, and those that hang keep nobody from being deleted', async () => {
  const ghosts = Array.from({ length: 10 }, (_, n) => addGhost(n + 1, `group ${n}`));
  const hanging = ghosts.slice(0, 9).map(({ group }) => group.key).join('|');
  harness.github.fault({ path: new RegExp(`runner-groups/(${hanging})/runners`) }, 'hang');
  const start = Date.now();
  const { outcomes } = await confirm((world) => ghosts.map((ghost) => world.message(ghost, { group: ghost.group })), harness.impatient(120));
  expect(outcomes).toEqual({ unknown: 9, deleted: 1 });
  expect(harness.github.count({ path: /access_tokens$/ })).toBe(1);
  // two attempts of a second and a half each, whatever the number of groups
  expect(Date.now() - start).toBeLessThan(12_000);
}, 30_000);
