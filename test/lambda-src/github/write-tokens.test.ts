import { group, Harness, remove } from './harness';
import type { GitHubSession } from '../../../lambda-src/github/runners';
import { NoCredentialError, ReadAgainError } from '../../../lambda-src/shared/errors';

const PLACE = group(1);
const MINT = /access_tokens$/;

let harness: Harness;
let id: number;
beforeEach(async () => {
  harness = await Harness.start();
  ({ id } = harness.github.addRunner('acme', 1, { name: 'p_i-1' }));
});
afterEach(() => harness.github.stop());

const mints = () => harness.github.count({ method: 'POST', path: MINT });
const deletes = () => harness.github.requests.filter(({ method }) => method === 'DELETE').map(({ appId }) => appId);

async function open(apps: number, seconds = 300): Promise<GitHubSession> {
  for (let appId = 1; appId <= apps; appId++) harness.addApp(appId);
  return harness.connect().session(harness.deadline(seconds), { sticky: true });
}

/** The DELETE that follows the last read: nothing is waited for, read or exchanged meanwhile, and no App sends it twice. */
async function deleteAtOnce(session: GitHubSession): Promise<unknown> {
  const before = { mints: mints(), sleeps: harness.sleeps.length, reads: harness.github.count({ method: 'GET' }) };
  const sent = deletes().length;
  const answer = await session.delete(PLACE, id).catch((error: unknown) => error);
  expect({ mints: mints(), sleeps: harness.sleeps.length, reads: harness.github.count({ method: 'GET' }) }).toEqual(before);
  const writers = deletes().slice(sent);
  expect(new Set(writers).size).toBe(writers.length);
  return answer;
}

test('the turn comes with a token, so that none has to be exchanged for the DELETE', async () => {
  const session = await open(1);
  await session.turnToDelete(PLACE);
  expect(mints()).toBe(1);
  expect(await deleteAtOnce(session)).toBe('deleted');
});

test('a token that was revoked since the last read is renewed for the next turn, and not in the middle of the DELETE', async () => {
  const installation = harness.addApp(1);
  const session = await open(0);
  await session.turnToDelete(PLACE);
  harness.time += 60_000;
  await session.find(PLACE, id);
  harness.github.revokeTokens(installation);
  expect(await deleteAtOnce(session)).toBeInstanceOf(ReadAgainError);
  expect(await remove(session, PLACE, id)).toBe('deleted');
  expect([mints(), deletes().length]).toEqual([2, 2]);
});

test('a token that has grown too old since the turn is not used, and not exchanged in the middle of the DELETE', async () => {
  const session = await open(1, 7200);
  await session.turnToDelete(PLACE);
  harness.time += 59.5 * 60_000;
  expect(await deleteAtOnce(session)).toBeInstanceOf(ReadAgainError);
  expect(deletes()).toEqual([]);
  expect(await remove(session, PLACE, id)).toBe('deleted');
});

test.each([401, 403])('a %i to a new token may be replication lag: it is over when the next turn comes', async (status) => {
  const session = await open(1);
  harness.github.fault({ method: 'DELETE', times: 1 }, { status });
  await session.turnToDelete(PLACE);
  expect(await deleteAtOnce(session)).toBeInstanceOf(ReadAgainError);
  expect(await remove(session, PLACE, id)).toBe('deleted');
  expect([mints(), deletes()]).toEqual([1, [1, 1]]);
});

test('a 403 that outlasts the lag is a missing permission', async () => {
  const session = await open(1);
  harness.github.fault({ method: 'DELETE' }, 'permission403');
  expect(await remove(session, PLACE, id)).toBe('refused');
  expect(await remove(session, PLACE, id)).toBe('refused');
  expect(deletes()).toEqual([1, 1, 1]);
});

test('an App with a token at hand takes over at once from one that is limited', async () => {
  const session = await open(2);
  await session.turnToDelete(PLACE);
  harness.github.fault({ app: 1, path: /runners\/\d+$/, times: 1 }, { retryAfter: 1 });
  await session.find(PLACE, id);
  harness.time += 1000;
  harness.github.fault({ app: 2, method: 'DELETE' }, { retryAfter: 60 });
  expect(await deleteAtOnce(session)).toBe('deleted');
  expect(deletes()).toEqual([2, 1]);
});

test.each([
  ['is limited', { retryAfter: 60 }],
  ['may not delete', 'permission403'],
  ['cannot see the registration', { status: 404 }],
] as const)('the first token of another App is not exchanged in the middle of the DELETE when the first one %s', async (_, effect) => {
  const session = await open(2);
  await session.turnToDelete(PLACE);
  harness.github.fault({ app: 1, method: 'DELETE' }, effect);
  expect(await deleteAtOnce(session)).toBeInstanceOf(ReadAgainError);
  expect(await remove(session, PLACE, id)).toBe('deleted');
  expect(deletes().at(-1)).toBe(2);
});

test('one repetition is enough, however many Apps may not delete', async () => {
  const session = await open(4);
  for (const app of [1, 2, 3]) harness.github.fault({ app, method: 'DELETE' }, 'permission403');
  expect(await remove(session, PLACE, id)).toBe('deleted');
  expect(mints()).toBe(4);
});

test('that no App may delete is known after few repetitions', async () => {
  const session = await open(3);
  harness.github.fault({ method: 'DELETE' }, 'permission403');
  expect(await remove(session, PLACE, id)).toBe('refused');
  expect(new Set(deletes())).toEqual(new Set([1, 2, 3]));
});

test('an App without a token, whose exchange fails, does not keep the others from taking over', async () => {
  const session = await open(3);
  harness.github.fault({ app: 1, method: 'DELETE' }, 'permission403');
  harness.github.fault({ app: 2, path: MINT }, { status: 502 });
  expect(await remove(session, PLACE, id)).toBe('deleted');
  expect(deletes()).toEqual([1, 3]);
});

test('an App whose new tokens are refused again and again is left alone', async () => {
  const session = await open(1);
  harness.github.fault({ method: 'DELETE' }, { status: 401 });
  const answers: unknown[] = [];
  for (let count = 1; count <= 5; count++) answers.push(await remove(session, PLACE, id).catch((error: unknown) => error));
  expect(answers.at(-1)).toBeInstanceOf(NoCredentialError);
  expect(session.trouble).toMatchObject([{ credential: 'app 1', reason: 'authentication' }]);
  expect(mints()).toBe(1);
  expect(deletes().length).toBeLessThanOrEqual(3);
});

test('a personal access token that was replaced since the last read is looked for, and the DELETE waits for the next turn', async () => {
  harness.github.addToken('ghp_old');
  harness.secrets.set('arn:token', 'ghp_old');
  const session = await harness.connect({ credentials: { kind: 'token', secret: 'arn:token' } }).session(harness.deadline(), { sticky: true });
  await session.turnToDelete(PLACE);
  harness.github.removeToken('ghp_old');
  harness.github.addToken('ghp_new');
  harness.secrets.set('arn:token', 'ghp_new');
  await expect(session.delete(PLACE, id)).rejects.toThrow(ReadAgainError);
  expect(harness.github.count({ method: 'DELETE' })).toBe(1);
  expect(await remove(session, PLACE, id)).toBe('deleted');
});
