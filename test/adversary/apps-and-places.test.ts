import { secondLook } from './second-look';
import { discover } from '../../lambda-src/janitor/discover';
import { group, Harness } from '../lambda-src/github/harness';
import type { Sent } from '../support/janitor/world';
import { machineId, MINUTE, runnerName, World } from '../support/janitor/world';

let harness: Harness;
beforeEach(async () => { harness = await Harness.start(); });
afterEach(() => harness.github.stop());

const GROUP_LIST = /runner-groups$/;

async function confirm(github: ReturnType<Harness['connect']>, make: (world: World) => readonly Sent[]) {
  return secondLook(harness.time, await github.session(harness.deadline(120), { sticky: true }), make);
}

describe('an App that is refused a page and cannot say whether it may list the groups does not stop the others', () => {
  test.each([
    ['is limited', { retryAfter: 3600 }],
    ['gets a 502', { status: 502 }],
  ] as const)('when it %s', async (_, effect) => {
    harness.addApp(1);
    harness.addApp(2);
    const session = await harness.connect().session(harness.deadline(300), { sticky: true });
    harness.github.fault({ app: 1, path: /runner-groups\/\d+\/runners/ }, 'permission403');
    harness.github.fault({ app: 1, path: GROUP_LIST }, effect);
    expect(await session.readPage(group(1), 1)).toMatchObject({ totalCount: 0 });
  });

  test('when it is down to the reserve: the first look reads on with the other one', async () => {
    harness.addApp(1);
    const two = harness.addApp(2);
    harness.github.setRemaining(two, 900);
    harness.github.fault({ app: 2, path: /runner-groups/ }, 'permission403');
    const id = harness.github.addRunner('acme', 1, { name: runnerName(1) }).id;
    const world = new World();
    world.now = harness.time;
    const registrations = await harness.connect().session(harness.deadline(300));
    const report = await discover({ ...world.firstLookPorts(), registrations }, world.policy);
    expect([report.summary(), id]).toMatchObject([{ pagesRead: 1, endedEarly: undefined, queued: 1 }, id]);
  });
});

/** as over a real network: the list takes a while */
function slowList(): void {
  const { fetch } = harness;
  harness.fetch = async (input, init) => {
    if (/runner-groups\?/.test(String(input))) await new Promise((resolve) => setTimeout(resolve, 100));
    return fetch(input, init);
  };
}

test('ten groups that an App may not read cost one list of groups', async () => {
  harness.addApp(1);
  harness.addApp(2);
  slowList();
  const groups = Array.from({ length: 10 }, (_, n) => harness.github.addGroup('acme', { name: `g${n}` }));
  harness.github.fault({ app: 1, path: /runner-groups\/\d+\/runners/ }, 'permission403');
  const { outcomes } = await confirm(harness.connect(), (world) => groups.map((id, n) => {
    const runner = harness.github.addRunner('acme', id, { name: runnerName(n + 1) });
    return world.message(runner, { group: { key: String(id), name: `g${n}`, pages: 1 } });
  }));
  expect(outcomes).toEqual({ deleted: 10 });
  expect(harness.github.count({ path: GROUP_LIST })).toBeLessThanOrEqual(1);
});

test('ten removed groups cost one list of groups', async () => {
  harness.addApp(1);
  slowList();
  const { outcomes } = await confirm(harness.connect(), (world) => Array.from({ length: 10 }, (_, n) => (
    world.message({ id: n + 1, name: runnerName(n + 1) }, { group: { key: String(900 + n), name: `g${n}`, pages: 1 } }))));
  expect(outcomes).toEqual({ moved: 10 });
  expect(harness.github.count({ path: GROUP_LIST })).toBeLessThanOrEqual(2);
});

describe('repositories that two Apps share out between them', () => {
  const scope = { kind: 'repositories', owner: 'acme', repositories: ['one', 'two'] } as const;
  const install = () => {
    for (const [appId, repositories] of [[1, ['acme/one', 'acme/three']], [2, ['acme/two']]] as const) {
      repositories.forEach((repository) => harness.github.addRepository(repository));
      harness.addApp(appId, { installed: false });
      harness.github.install(appId, { owner: 'acme', repositories });
    }
  };
  test.each(['one', 'two'])('a nomination of a runner in %s is settled', async (repository) => {
    install();
    const { name, id } = harness.github.addRepositoryRunner(`acme/${repository}`, { name: runnerName(1) });
    const github = harness.connect({ scope });
    const outcomes: unknown[] = [];
    for (let receive = 1; receive <= 5; receive++) {
      outcomes.push((await confirm(github, (world) => {
        world.machines.set(machineId(1), 'terminated');
        return [world.nomination(name)];
      })).outcomes);
      harness.time += 12 * MINUTE;
    }
    expect(outcomes).not.toContainEqual({ unknown: 1 });
    expect(harness.github.deletions).toEqual([id]);
  });

  test('three nominations of runners in two are settled in one batch', async () => {
    install();
    const runners = [1, 2, 3].map((n) => harness.github.addRepositoryRunner('acme/two', { name: runnerName(n) }));
    const { outcomes } = await confirm(harness.connect({ scope }), (world) => runners.map(({ name }, n) => {
      world.machines.set(machineId(n + 1), 'terminated');
      return world.nomination(name);
    }));
    expect([outcomes, harness.github.count({ method: 'DELETE' })]).toEqual([{ deleted: 3 }, 3]);
  });

  test('candidates of both cost one DELETE each', async () => {
    install();
    const runners = ['one', 'two', 'one', 'two', 'two'].map((repository, n) => ({ repository, ...harness.github.addRepositoryRunner(`acme/${repository}`, { name: runnerName(n + 1) }) }));
    const { outcomes } = await confirm(harness.connect({ scope }), (world) => runners.map((runner) => (
      world.message(runner, { group: { key: `acme/${runner.repository}`, name: runner.repository, pages: 1 } }))));
    expect(outcomes).toEqual({ deleted: 5 });
    expect(harness.github.count({ method: 'DELETE' })).toBe(5);
  });

  test('one DELETE that is refused (an archived repository) does not make the App the last choice where only it can see', async () => {
    install();
    const archived = harness.github.addRepositoryRunner('acme/three', { name: runnerName(1) });
    harness.github.fault({ app: 1, method: 'DELETE', path: /acme\/three/ }, { status: 403, body: { message: 'Repository was archived so is read-only.' } });
    const runners = [2, 3, 4].map((n) => harness.github.addRepositoryRunner('acme/one', { name: runnerName(n) }));
    const two = harness.github.addRepositoryRunner('acme/two', { name: runnerName(5) });
    const message = (world: World, runner: typeof archived, name: string) => world.message(runner, { group: { key: `acme/${name}`, name, pages: 1 } });
    const { outcomes } = await confirm(harness.connect({ scope: { ...scope, repositories: ['one', 'two', 'three'] } }), (world) => [
      message(world, archived, 'three'), ...runners.map((runner) => message(world, runner, 'one')), message(world, two, 'two'),
    ]);
    const deletes = harness.github.requests.filter(({ method }) => method === 'DELETE').map(({ path, appId }) => `${appId} ${path}`);
    expect([outcomes, deletes.filter((one) => !one.includes('three'))]).toEqual([{ refused: 1, deleted: 4 }, [
      '1 /repos/acme/one/actions/runners/2', '1 /repos/acme/one/actions/runners/3', '1 /repos/acme/one/actions/runners/4', '2 /repos/acme/two/actions/runners/5',
    ]]);
  });
});

test('a limit that ends sooner than the pause between two DELETEs costs only the DELETE that met it', async () => {
  harness.addApp(1);
  const runners = [1, 2, 3].map((n) => harness.github.addRunner('acme', 1, { name: runnerName(n) }));
  harness.github.fault({ method: 'DELETE', times: 1 }, { retryAfter: 1 });
  const { outcomes } = await confirm(harness.connect(), (world) => runners.map((runner) => world.message(runner)));
  expect(outcomes).toEqual({ unknown: 1, deleted: 2 });
});

describe('at the second look', () => {
  test.each([['that is down to its reserve', true], ['that may list the groups or not, nobody knows', false]])('an App without the permission, %s, loses no receive of a cold process', async (_, atReserve) => {
    const two = harness.addApp(2);
    harness.addApp(1);
    harness.github.fault({ app: 2, path: /runner-groups\/\d+\/runners/ }, 'permission403');
    if (!atReserve) harness.github.fault({ app: 2, path: GROUP_LIST }, { status: 502 });
    const runner = harness.github.addRunner('acme', 1, { name: runnerName(1) });
    const outcomes: unknown[] = [];
    for (let receive = 1; receive <= 5; receive++) {
      // the fleet that it registers runners for uses it up, hour by hour
      if (atReserve) harness.github.setRemaining(two, 900);
      outcomes.push((await confirm(harness.connect(), (world) => [world.message(runner)])).outcomes);
      harness.time += 12 * MINUTE;
    }
    expect(outcomes).toEqual([{ deleted: 1 }, ...Array.from({ length: 4 }, () => ({ alreadyGone: 1 }))]);
  });
});

test('the first look of a cold process reads its page in every run, however little quota the App without the permission has left', async () => {
  harness.addApp(1);
  const two = harness.addApp(2);
  harness.github.fault({ app: 2, path: /runner-groups/ }, 'permission403');
  harness.github.addRunner('acme', 1, { name: runnerName(1) });
  const pages: unknown[] = [];
  const failures: unknown[] = [];
  for (let run = 1; run <= 10; run++) {
    harness.github.setRemaining(two, 900);
    const world = new World();
    world.now = harness.time;
    const registrations = await harness.connect().session(harness.deadline(300));
    const report = await discover({ ...world.firstLookPorts(), registrations }, world.policy);
    pages.push(report.pagesRead);
    failures.push(...report.failures);
    harness.time += 30 * MINUTE;
  }
  // GitHub says 900 left of 5,000 to App 2 alone; App 1 has 5,000
  expect([pages, failures]).toEqual([Array.from({ length: 10 }, () => 1), []]);
});
