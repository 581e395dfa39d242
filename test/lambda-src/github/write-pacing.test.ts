import { group, Harness, remove } from './harness';
import type { GitHubSession } from '../../../lambda-src/github/runners';
import { DeadlineError, ReadAgainError, TransientError } from '../../../lambda-src/shared/errors';

const PLACE = group(1);

let harness: Harness;
beforeEach(async () => { harness = await Harness.start(); });
afterEach(() => harness.github.stop());

const apps = (...ids: number[]) => ids.forEach((id) => harness.addApp(id));
/** One more registration, and the DELETE of it. */
const removeOne = (session: GitHubSession) => remove(session, PLACE, addOne());
const addOne = () => harness.github.addRunner('acme', 1, { name: `p_i-${harness.github.requests.length}` }).id;

/** when each App sent its DELETEs, in seconds since the first one */
function writes(): Record<number, number[]> {
  const sent = harness.github.requests.filter(({ method }) => method === 'DELETE');
  const byApp: Record<number, number[]> = {};
  for (const { appId, at } of sent) (byApp[appId!] ??= []).push((at - sent[0]!.at) / 1000);
  return byApp;
}

test('the DELETEs of one App are two seconds apart, also those of two invocations', async () => {
  apps(1);
  const github = harness.connect();
  for (let invocation = 0; invocation < 2; invocation++) {
    const session = await github.session(harness.deadline(), { sticky: true });
    for (let count = 1; count <= 3; count++) await removeOne(session);
  }
  expect(writes()).toEqual({ 1: [0, 2, 4, 6, 8, 10] });
});

test('the pause comes before the last read: the DELETE itself never waits', async () => {
  apps(1);
  const session = await harness.connect().session(harness.deadline(), { sticky: true });
  await removeOne(session);
  await session.turnToDelete(PLACE);
  expect(harness.sleeps).toEqual([2000]);
  const id = addOne();
  await session.find(PLACE, id);
  await session.delete(PLACE, id);
  expect(harness.sleeps).toEqual([2000]);
});

test('an App that takes over does not wait for the writes of the other one', async () => {
  apps(1, 2);
  const session = await harness.connect().session(harness.deadline(), { sticky: true });
  await removeOne(session);
  harness.github.fault({ app: 1, method: 'GET' }, { retryAfter: 3600 });
  await session.readPage(PLACE, 1);
  for (let count = 1; count <= 3; count++) await removeOne(session);
  expect(writes()).toEqual({ 1: [0], 2: [0, 2, 4] });
});

test.each([
  ['is limited', { retryAfter: 3600 }, TransientError],
  ['is no longer recognised', { status: 401, body: { message: 'Bad credentials' } }, ReadAgainError],
])('when the App whose turn it was %s, an App that has just written does not take over', async (_, effect, error) => {
  apps(1, 2);
  const github = harness.connect();
  const outage = harness.github.fault({ app: 1, method: 'DELETE' }, { retryAfter: 1 });
  const first = await github.session(harness.deadline(), { sticky: true });
  await removeOne(first);
  // tokens that are no longer new: a refusal is no lag that is waited for
  harness.time += 11_000;
  await removeOne(first);
  expect(writes()).toEqual({ 1: [0], 2: [0, 11] });
  outage.clear();
  const second = await github.session(harness.deadline(), { sticky: true });
  await second.turnToDelete(PLACE);
  harness.github.fault({ app: 1, method: 'DELETE' }, effect);
  await expect(second.delete(PLACE, 3)).rejects.toThrow(error);
  expect(writes()[1]!.length).toBeGreaterThan(1);
  expect(writes()[2]).toEqual([0, 11]);
});

test('a rotated key does not make its App forget when it wrote', async () => {
  apps(1);
  const session = await harness.connect().session(harness.deadline(), { sticky: true });
  await removeOne(session);
  harness.secrets.set('arn:app1', JSON.stringify({ appId: 1, privateKey: harness.github.rotateKey(1) }));
  await removeOne(session);
  const [first, ...later] = writes()[1]!;
  expect(first).toBe(0);
  expect(Math.min(...later)).toBeGreaterThanOrEqual(2);
});

test('whoever has waited and does not write makes nobody wait', async () => {
  apps(1);
  const session = await harness.connect().session(harness.deadline(), { sticky: true });
  await removeOne(session);
  await session.turnToDelete(PLACE);
  await session.turnToDelete(PLACE);
  expect(harness.sleeps).toEqual([2000]);
});

test('a pause that would outlast the invocation is refused at once', async () => {
  apps(1);
  const session = await harness.connect().session(harness.deadline(11), { sticky: true });
  await removeOne(session);
  await expect(session.turnToDelete(PLACE)).rejects.toThrow(DeadlineError);
  expect(harness.sleeps).toEqual([]);
});

test('a clock that is set back does not stop the deletions', async () => {
  apps(1);
  const session = await harness.connect().session(harness.deadline(7200), { sticky: true });
  await removeOne(session);
  harness.time -= 1_800_000;
  expect(await removeOne(session)).toBe('deleted');
  expect(harness.sleeps).toEqual([2000]);
});
