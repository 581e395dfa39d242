import { scopeDigest } from '../../../lambda-src/janitor/candidate';
import { TransientError } from '../../../lambda-src/shared/errors';
import { MESSAGE_VERSION } from '../../../src/contract/candidate-message';
import type { ComputeConfig, EvidencePolicy, ScopeConfig } from '../../../src/contract/janitor-config';
import { machineId, MINUTE, World } from '../../support/janitor/world';

/** Cases from the field that need more than one answer; the others stand beside the rule that they are about. */

let world: World;
beforeEach(() => { world = new World(); });

test('case 9: a DELETE that answers 404 is counted as already gone, not as deleted', async () => {
  world.answersToDelete.set(world.ghost().id, 'alreadyGone');
  await world.discover();
  expect(await world.confirmAll()).toEqual({ alreadyGone: 1 });
});

test('case 11: pages that repeat and lose entries delete nothing alive, repeat nothing, and a later run finds what was lost', async () => {
  world.pageSize = 10;
  const ghosts = Array.from({ length: 15 }, () => world.ghost());
  const living = Array.from({ length: 15 }, () => world.living());
  let changes = 0;
  world.before = (what) => {
    if (!/^page 1 [23]/.test(what)) return;
    const list = world.registrations.get('1')!;
    changes += 1;
    // one registration comes in front, so that the next page repeats one; two go, so that the next page loses one
    if (changes === 1) world.registrations.set('1', [world.registrations.get('1')!.at(-1)!, ...list.slice(0, -1)]);
    if (changes === 2) world.registrations.set('1', list.filter(({ id }) => id !== living[0]!.id && id !== living[1]!.id));
  };
  await world.discover();
  const queued = world.queue.map(({ body }) => JSON.parse(body).runner.id);
  expect(new Set(queued).size).toBe(queued.length);
  await world.confirmAll();
  world.before = () => {};
  for (let run = 0; run < 2; run += 1) {
    world.now += 30 * MINUTE;
    await world.discover();
    await world.confirmAll();
  }
  expect(new Set(world.deleted)).toEqual(new Set(ghosts.map(({ id }) => id)));
  expect(world.deleted).toHaveLength(15);
});

test('case 17: a DELETE that took effect although its answer was lost goes back and is settled as already gone', async () => {
  const { id } = world.ghost();
  await world.discover();
  world.before = (what) => {
    if (what !== `delete ${id}`) return;
    world.remove(id);
    throw new TransientError('no complete answer in time');
  };
  expect(await world.confirmAll()).toEqual({ unknown: 1 });
  expect(await world.confirmAll(12 * MINUTE)).toEqual({ alreadyGone: 1 });
  expect(world.queue).toEqual([]);
});

test('case 16: each DELETE of a head that answers 403 is counted as refused and acknowledged', async () => {
  const head = Array.from({ length: 20 }, () => world.ghost());
  head.forEach(({ id }) => world.answersToDelete.set(id, 'refused'));
  await world.discover();
  expect(await world.confirmAll()).toEqual({ refused: 20 });
  expect(world.queue).toEqual([]);
});

describe('case 22: the digest tells apart', () => {
  const scope: ScopeConfig = { kind: 'organization', owner: 'acme', groups: { names: ['a', 'b'], ids: [1] } };
  const compute: ComputeConfig = { kind: 'ec2', runnerNamePrefixes: ['p_', 'q_'], regions: ['eu-west-1', 'us-east-1'] };
  const digest = (change: { host?: string; scope?: object; compute?: object; evidence?: EvidencePolicy } = {}) => scopeDigest(
    change.host ?? 'https://api.github.com', { ...scope, ...change.scope } as ScopeConfig, { ...compute, ...change.compute }, change.evidence ?? 'absent');

  test.each<[string, Parameters<typeof digest>[0]]>([
    ['hosts', { host: 'https://ghe.example/api/v3' }],
    ['owners', { scope: { owner: 'acme2' } }],
    ['kinds of scope', { scope: { kind: 'enterprise' } }],
    ['selections of groups', { scope: { groups: { names: ['a'], ids: [1] } } }],
    ['a selection from all groups', { scope: { groups: undefined } }],
    ['a name from an id', { scope: { groups: { names: ['a', 'b', '1'], ids: [] } } }],
    ['prefixes', { compute: { runnerNamePrefixes: ['p_'] } }],
    ['regions', { compute: { regions: ['eu-west-1'] } }],
    ['a region from a prefix', { compute: { regions: ['eu-west-1'], runnerNamePrefixes: ['p_', 'q_', 'us-east-1'] } }],
    ['policies of evidence', { evidence: 'terminated' }],
  ])('%s', (_, change) => {
    expect(digest(change)).not.toBe(digest());
  });

  test('versions of the message', async () => {
    const contract = '../../../src/contract/candidate-message';
    await jest.isolateModulesAsync(async () => {
      jest.doMock(contract, () => ({ ...jest.requireActual<object>(contract), MESSAGE_VERSION: MESSAGE_VERSION + 1 }));
      const next = await import('../../../lambda-src/janitor/candidate');
      expect(next.scopeDigest('https://api.github.com', scope, compute, 'absent')).not.toBe(digest());
    });
    jest.dontMock(contract);
  });

  test('nothing that only stands in another order', () => {
    expect(digest({ scope: { groups: { ids: [1], names: ['b', 'a'] } }, compute: { regions: ['us-east-1', 'eu-west-1'], runnerNamePrefixes: ['q_', 'p_'] } })).toBe(digest());
  });
});

test('case 28: 5,000 offline registrations of living machines on a slow host end cleanly at the deadline, and every page is first in one of the runs', async () => {
  for (let n = 0; n < 5000; n += 1) world.machines.set(machineId(world.ghost().id), 'present');
  world.before = (what) => { world.now += what.startsWith('page') ? 8000 : what === 'lookup' ? 4000 : 0; };
  const judged = new Set<string>();
  const start = world.now;
  for (let run = 0; run < 50; run += 1) {
    world.now = start + run * world.policy.interval;
    const before = world.lookups.length;
    const report = await world.discover(300);
    expect(report).toMatchObject({ endedEarly: { reason: 'deadline' }, failures: [], queued: 0 });
    expect(world.now - start - run * world.policy.interval).toBeLessThan(300_000);
    world.lookups.slice(before).flat().forEach((machine) => judged.add(machine));
    if (run === 0) expect(judged.size).toBeLessThan(5000);
  }
  expect(judged.size).toBe(5000);
}, 60_000);
