import { secondLook } from './second-look';
import type { GitHubConfig } from '../../lambda-src/github/github';
import { discover } from '../../lambda-src/janitor/discover';
import { Harness } from '../lambda-src/github/harness';
import type { Sent } from '../support/janitor/world';
import { machineId, runnerName, World } from '../support/janitor/world';

/** Both looks with GitHub over sockets, and everything else from memory. */

let harness: Harness;
beforeEach(async () => { harness = await Harness.start(); });
afterEach(() => harness.github.stop());

const INTERVAL = 30 * 60_000;

async function confirm(config: Partial<GitHubConfig>, make: (world: World) => readonly Sent[], groupKeys?: readonly string[]) {
  const session = await harness.connect(config).session(harness.deadline(120), { sticky: true });
  return (await secondLook(harness.time, session, make, groupKeys)).outcomes;
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

const lock = (groupId: number) => harness.github.fault({ path: new RegExp(`runner-groups/${groupId}/runners`) }, 'permission403');

describe('a runner that comes online', () => {
  test('while a new token is exchanged, because the DELETE has found its own revoked, stays registered', async () => {
    harness.addApp(1);
    const ghost = addGhost(1, 'ghosts');
    // by the time of the DELETE the token is no longer new, so a refusal of it is no lag
    harness.github.fault({ method: 'GET', path: /runners\/\d+$/, times: 1 }, () => { harness.time += 11_000; });
    harness.github.fault({ method: 'DELETE', times: 1 }, { status: 401 });
    const exchange = harness.github.fault({ path: /access_tokens$/, skip: 1 }, (github) => {
      harness.time += 9_000;
      github.updateRunner('acme', ghost.id, { status: 'online' });
    });
    expect(await confirm({}, (world) => [world.message(ghost, { group: ghost.group })])).toEqual({ cameOnline: 1 });
    expect([exchange.hits, harness.github.deletions]).toEqual([1, []]);
  });

  test('while the first token of the App that takes over is exchanged stays registered', async () => {
    [1, 2].forEach((appId) => harness.addApp(appId));
    const ghost = addGhost(1, 'ghosts');
    harness.github.fault({ app: 1, method: 'DELETE' }, { retryAfter: 60 });
    const exchange = harness.github.fault({ app: 2, path: /access_tokens$/ }, (github) => { github.updateRunner('acme', ghost.id, { status: 'online' }); });
    expect(await confirm({}, (world) => [world.message(ghost, { group: ghost.group })])).toEqual({ cameOnline: 1 });
    expect([exchange.hits, harness.github.deletions]).toEqual([1, []]);
  });

  test('while the lag of a new token passes stays registered', async () => {
    harness.addApp(1);
    const ghost = addGhost(1, 'ghosts');
    const refusal = harness.github.fault({ method: 'DELETE', times: 1 }, 'permission403');
    harness.github.fault({ method: 'GET', path: /runners\/\d+$/, skip: 1 }, (github) => { github.updateRunner('acme', ghost.id, { status: 'online' }); });
    expect(await confirm({}, (world) => [world.message(ghost, { group: ghost.group })])).toEqual({ cameOnline: 1 });
    expect([refusal.hits, harness.github.deletions]).toEqual([1, []]);
  });
});

test('a ghost goes all the same when its DELETE finds the token revoked', async () => {
  harness.addApp(1);
  const ghost = addGhost(1, 'ghosts');
  harness.github.fault({ method: 'GET', path: /runners\/\d+$/, times: 1 }, () => { harness.time += 11_000; });
  harness.github.fault({ method: 'DELETE', times: 1 }, { status: 401 });
  expect(await confirm({}, (world) => [world.message(ghost, { group: ghost.group })])).toEqual({ deleted: 1 });
});

test('a missing permission is not hidden behind "already gone", run after run', async () => {
  ['acme/one', 'acme/other'].forEach((name) => harness.github.addRepository(name));
  [1, 2].forEach((appId) => harness.addApp(appId, { installed: false }));
  harness.github.install(1, { owner: 'acme', permissions: { administration: 'read' } });
  harness.github.install(2, { owner: 'acme', repositories: ['acme/other'] });
  const ghost = harness.github.addRepositoryRunner('acme/one', { name: runnerName(1) });
  const scope = { kind: 'repositories', owner: 'acme', repositories: ['one'] } as const;
  for (let run = 0; run < 3; run += 1) {
    expect(await confirm({ scope }, (world) => [world.message(ghost, { group: { key: 'acme/one', name: 'one', pages: 1 } })], ['acme/one'])).toEqual({ refused: 1 });
  }
});

describe('a group that answers 403', () => {
  test.each([0, 1, 2])('does not keep the first look from the other groups, and is said loudly (run %d)', async (run) => {
    harness.addApp(1);
    const locked = harness.github.addGroup('acme', { name: 'locked' });
    addGhost(1, 'ghosts');
    lock(locked);
    const world = new World();
    world.now = Math.floor(harness.time / (3 * INTERVAL)) * 3 * INTERVAL + run * INTERVAL;
    const registrations = await harness.connect().session(harness.deadline(), { sticky: false });
    const report = await discover({ ...world.firstLookPorts(300), registrations }, world.policy);
    expect(report).toMatchObject({ queued: 1, refusedGroups: ['locked'] });
    expect(report.failures).toEqual([expect.stringContaining('no credential may read the registrations of locked')]);
  });

  test.each([['forged', false], ['our own', true]])('does not keep the second look from a candidate of another group (%s message)', async (_, fromFirstLook) => {
    harness.addApp(1);
    const [hidden, ghost] = [addGhost(1, 'locked'), addGhost(2, 'ghosts')];
    lock(hidden.groupId);
    const outcomes = await confirm({}, (world) => [
      { ...world.message(hidden, { group: hidden.group }), fromFirstLook },
      world.message(ghost, { group: ghost.group }),
    ]);
    expect(outcomes).toMatchObject({ deleted: 1 });
    expect(harness.github.deletions).toEqual([ghost.id]);
  });
});

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
