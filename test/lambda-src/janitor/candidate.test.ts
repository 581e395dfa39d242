import { asNomination, groupKeysOf, isFromFirstLook, parseCandidate, supersedes } from '../../../lambda-src/janitor/candidate';
import { MalformedInputError } from '../../../lambda-src/shared/errors';
import { machineId, MINUTE, runnerName, World } from '../../support/janitor/world';

let world = new World();
beforeEach(() => { world = new World(); });

const ghost = { id: 1, name: runnerName(1) };
const messageWith = (change: object) => JSON.stringify({ ...JSON.parse(world.message(ghost).body), ...change });

describe('a hostile body', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

  test.each([
    ['nested more deeply than it can be written again', deep],
    ['the same as the value of a field', `{"version":1,"kind":"candidate","runner":${deep}}`],
    ['as large as SQS takes', JSON.stringify({ version: 1, kind: 'x'.repeat(255_000) })],
    ['a name of 256 KB', JSON.stringify({ version: 1, kind: 'nomination', runnerName: 'x'.repeat(255_000) })],
    ['the name of a group of 250 KB', messageWith({ group: { key: '1', name: 'x'.repeat(250_000), pages: 1 } })],
    ['a kind that only a prototype has', '{"version":1,"__proto__":{"kind":"nomination","runnerName":"p_x"}}'],
    ['a kind with a line end', '{"version":1,"kind":"candidate\\n"}'],
  ])('%s is malformed, says so briefly, and leaves its neighbour alone', async (_, body) => {
    const { id, name } = world.ghost();
    world.now += 20 * MINUTE;
    const { outcomes, returned } = await world.confirm([{ body, sentAt: world.now }, world.message({ id, name })]);
    expect({ outcomes, returned }).toEqual({ outcomes: { malformed: 1, deleted: 1 }, returned: [] });
    expect(world.logged('info').length).toBeLessThan(2000);
  });

  test.each(['..', '../runners', '1/../..', '1?x=', '%2e%2e', '', ' 1', 'acme/a/b', '１'])('the group %j is none, because it would become a part of a path', (key) => {
    expect(() => parseCandidate(messageWith({ group: { key, name: 'spot', pages: 1 } }))).toThrow(MalformedInputError);
  });

  test.each(['7', 'acme/repo', 'acme/.github'])('the group %s may be one', (key) => {
    expect(parseCandidate(messageWith({ group: { key, name: 'spot', pages: 1 } })).registration?.group.key).toBe(key);
  });

  test.each([
    ['its id', { runner: { ...ghost, id: '1' } }],
    ['its id, beyond what a number can hold', { runner: { ...ghost, id: 2 ** 53 } }],
    ['its pages', { group: { key: '1', name: 'spot', pages: 1.5 } }],
    ['no pages', { group: { key: '1', name: 'spot', pages: 0 } }],
    ['pages below zero', { group: { key: '1', name: 'spot', pages: -3 } }],
    ['its evidence', { evidence: 'ABSENT' }],
    ['its mode', { mode: 'ARMED' }],
    ['its version', { version: '1' }],
    ['its time', { observedAt: 1 }],
  ])('%s is of the wrong kind', (_, change) => {
    expect(() => parseCandidate(messageWith(change))).toThrow(MalformedInputError);
  });
});

describe('a message about a group that is not configured', () => {
  test.each<[string, readonly string[] | undefined, Record<string, number>]>([
    ['is out of scope, whatever its digest says', ['2', '3'], { outOfScope: 1 }],
    ['is judged where it is configured', ['1'], { deleted: 1 }],
    ['is judged where only GitHub knows the groups', undefined, { deleted: 1 }],
  ])('%s', async (_, groupKeys, expected) => {
    const registration = world.ghost();
    world.policy = { ...world.policy, groupKeys };
    world.now += 20 * MINUTE;
    expect((await world.confirm([world.message(registration)])).outcomes).toEqual(expected);
  });

  test('is told by the configuration alone, where that names repositories or ids', () => {
    expect(groupKeysOf({ kind: 'repositories', owner: 'acme', repositories: ['a', 'b'] })).toEqual(['acme/a', 'acme/b']);
    expect(groupKeysOf({ kind: 'organization', owner: 'acme', groups: { names: [], ids: [7, 9] } })).toEqual(['7', '9']);
    expect(groupKeysOf({ kind: 'organization', owner: 'acme', groups: { names: ['spot'], ids: [7] } })).toBeUndefined();
    expect(groupKeysOf({ kind: 'enterprise', owner: 'acme' })).toBeUndefined();
  });
});

describe('a message that cannot be judged makes way only for one that says the same', () => {
  const twin = { id: 1, name: runnerName(1) };

  test.each<[string, Parameters<World['message']>[1]]>([
    ['another scope', { scope: 'another' }],
    ['another group: ids of several repositories are not unique', { group: { key: 'acme/b', name: 'b', pages: 1 } }],
    ['another name', { runner: { id: 1, name: runnerName(2) } }],
    ['dry run', { mode: 'dryRun' }],
  ])('not for %s', async (_, change) => {
    world.add(twin);
    world.machines.set(machineId(1), 'unknown');
    world.now += 60 * MINUTE;
    const { returned } = await world.confirm([world.message(twin), world.message(twin, change)]);
    expect(returned).toContain(0);
  });

  test('weaker evidence does not take the place of stronger', () => {
    const [absent, terminated] = (['absent', 'terminated'] as const).map((evidence) => parseCandidate(world.message(ghost, { evidence }).body));
    expect(supersedes(absent!, terminated!)).toBe(false);
    expect(supersedes(terminated!, absent!)).toBe(true);
  });
});

test.each<[string, string | undefined, string | undefined, boolean]>([
  ['the role of the first look, in any session', 'AROA1:Runners-JanitorDiscovery-1', 'AROA1', true],
  ['another role', 'AROA2:Runners-JanitorDiscovery-1', 'AROA1', false],
  ['a role whose id begins alike', 'AROA11:x', 'AROA1', false],
  ['a session that is called like the role', 'AROA2:AROA1:x', 'AROA1', false],
  ['a user', 'AIDA1', 'AROA1', false],
  ['the id alone, without a session', 'AROA1', 'AROA1', false],
  ['an id in another case', 'aroa1:x', 'AROA1', false],
  ['nobody that SQS would name', undefined, 'AROA1', false],
  ['anybody, where the function was not told whom to believe', 'AROA1:x', undefined, false],
])('sent by %s', (_, senderId, candidateSender, expected) => {
  expect(isFromFirstLook(senderId, candidateSender)).toBe(expected);
});

test('what nobody of ours has sent is a nomination: neither its id nor its evidence counts', () => {
  const candidate = parseCandidate(world.message(ghost, { evidence: 'terminated' }).body);
  expect(asNomination(candidate)).toEqual({ ...candidate, registration: undefined, evidence: undefined });
});
