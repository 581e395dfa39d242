import { group, Harness, remove } from './harness';
import { REPLICATION_LAG_MS } from '../../../lambda-src/github/app-client';
import { NoCredentialError, PermissionError, TransientError } from '../../../lambda-src/shared/errors';
import type { FakeGitHub } from '../../support/fake-github/fake-github';

const MINT = /access_tokens$/;
const DEFAULT_GROUP = group(1);

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.start();
});
afterEach(() => harness.github.stop());

const mints = () => harness.github.count({ method: 'POST', path: MINT });

test('an App looks up its installation and mints a token once, and uses both in later invocations', async () => {
  harness.addApp(1);
  const github = harness.connect();
  await (await github.session(harness.deadline())).listGroups();
  await (await github.session(harness.deadline())).listGroups();
  expect(harness.github.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /orgs/acme/installation',
    'POST /app/installations/50000/access_tokens',
    'GET /orgs/acme/actions/runner-groups',
    'GET /orgs/acme/actions/runner-groups',
  ]);
});

test('a configured installation needs no look-up', async () => {
  const installationId = harness.addApp(1);
  harness.secrets.set('arn:app1', JSON.stringify({ ...JSON.parse(harness.secrets.get('arn:app1')!), installationId }));
  await (await harness.connect().session(harness.deadline())).listGroups();
  expect(harness.github.count({ path: /installation$/ })).toBe(0);
});

test('an installation of a user account is found behind that of an organization', async () => {
  harness.github.addUser('jane');
  harness.github.addRepository('jane/tools');
  harness.addApp(1, { owner: 'jane' });
  const github = harness.connect({ scope: { kind: 'repositories', owner: 'jane', repositories: ['tools'] } });
  await (await github.session(harness.deadline())).readPage({ key: 'jane/tools', name: 'tools' }, 1);
  expect(harness.github.count({ path: '/users/jane/installation', status: 200 })).toBe(1);
});

test('a token is renewed before it runs out, by the clock of the function', async () => {
  harness.addApp(1);
  const github = harness.connect();
  await (await github.session(harness.deadline())).listGroups();
  harness.time += 58 * 60_000;
  await (await github.session(harness.deadline())).listGroups();
  expect(mints()).toBe(1);
  harness.time += 61_000;
  await (await github.session(harness.deadline())).listGroups();
  expect(mints()).toBe(2);
  expect(harness.github.count({ path: /\/installation$/ })).toBe(1);
  expect(harness.github.count({ status: 401 })).toBe(0);
});

describe('requests at the same time', () => {
  beforeEach(() => { harness.addApp(1); });

  /** How each of ten pages was answered. */
  async function tenAtOnce(github = harness.connect()) {
    const session = await github.session(harness.deadline());
    const pages = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => session.readPage(DEFAULT_GROUP, index + 1)));
    return pages.map((page) => (page.status === 'fulfilled' ? 'read' : page.reason.name));
  }
  const allRead = Array.from({ length: 10 }, () => 'read');

  test('share one look-up of the installation and one token exchange', async () => {
    expect(await tenAtOnce()).toEqual(allRead);
    expect([harness.github.count({ path: /\/installation$/ }), mints()]).toEqual([1, 1]);
  });

  test('share the new token when theirs was revoked', async () => {
    const github = harness.connect();
    await tenAtOnce(github);
    harness.time += 60_000;
    harness.github.revokeTokens(50_000);
    expect(await tenAtOnce(github)).toEqual(allRead);
    expect(mints()).toBe(2);
  });

  test('share the trouble of an exchange that is refused, and do not each try it again', async () => {
    harness.github.fault({ path: MINT }, { status: 404 });
    expect(await tenAtOnce()).toEqual(Array.from({ length: 10 }, () => 'NoCredentialError'));
    // the one more try that a 404 is worth
    expect(mints()).toBe(2);
  });

  test('share the new key when theirs was rotated', async () => {
    const github = harness.connect();
    await github.session(harness.deadline());
    harness.secrets.set('arn:app1', JSON.stringify({ appId: 1, privateKey: harness.github.rotateKey(1) }));
    expect(await tenAtOnce(github)).toEqual(allRead);
    expect(harness.reads).toHaveLength(2);
  });

  test.each([401, 403])('wait together for a new token that is answered with %i until it is known everywhere', async (status) => {
    harness.answerUntil(harness.time + REPLICATION_LAG_MS, /runner-groups\/1\/runners/, status);
    expect(await tenAtOnce()).toEqual(allRead);
    expect(mints()).toBe(1);
    expect(harness.sleeps).toEqual([REPLICATION_LAG_MS]);
  });
});

test('case 19: every exchange is signed anew, also within one second', async () => {
  harness.addApp(1);
  for (let function_ = 0; function_ < 3; function_++) await (await harness.connect().session(harness.deadline())).listGroups();
  expect(mints()).toBe(3);
  expect(harness.github.reusedJwts).toEqual([]);
});

test('two hosts that use the same installation id at once never get the token of the other', async () => {
  const other = await Harness.start();
  try {
    for (const one of [harness, other]) {
      one.addApp(1);
      one.github.fault({ path: MINT }, { delayMs: 50 });
    }
    await Promise.all([harness, other].map(async (one) => (await one.connect().session(one.deadline())).listGroups()));
    const tokenOf = (github: FakeGitHub) => github.requests.find(({ path }) => path.endsWith('runner-groups'))?.token;
    expect(tokenOf(harness.github)).not.toBe(tokenOf(other.github));
    expect([harness, other].map(({ github }) => github.count({ status: 401 }))).toEqual([0, 0]);
  } finally {
    await other.github.stop();
  }
});

test('a revoked token is renewed once and the request repeated', async () => {
  const installation = harness.addApp(1);
  const github = harness.connect();
  await (await github.session(harness.deadline())).listGroups();
  harness.time += 60_000;
  harness.github.revokeTokens(installation);
  expect(await (await github.session(harness.deadline())).listGroups()).toHaveLength(1);
  expect(mints()).toBe(2);
  expect(harness.sleeps).toEqual([]);
});

test.each([401, 403])('a %i right after the exchange may be replication lag: one short pause, no second exchange', async (status) => {
  harness.addApp(1);
  harness.github.fault({ path: /runner-groups$/, times: 1 }, { status });
  expect(await (await harness.connect().session(harness.deadline())).listGroups()).toHaveLength(1);
  expect(harness.sleeps).toEqual([1000]);
  expect(mints()).toBe(1);
});

test('one new token has one such pause, however many requests are refused', async () => {
  harness.addApp(1);
  const session = await harness.connect().session(harness.deadline());
  harness.github.fault({ path: /runners\/\d+$/ }, 'permission403');
  for (let id = 1; id <= 5; id++) await expect(session.find(DEFAULT_GROUP, id)).rejects.toThrow(PermissionError);
  expect(harness.github.count({ path: /runners\/\d+$/ })).toBe(6);
  expect(harness.sleeps).toEqual([REPLICATION_LAG_MS]);
});

test('refusals later on are no lag: they cost one request each', async () => {
  harness.addApp(1);
  const session = await harness.connect().session(harness.deadline());
  await session.listGroups();
  harness.time += 11_000;
  harness.github.fault({ method: 'DELETE' }, 'permission403');
  for (let id = 1; id <= 5; id++) expect(await remove(session, DEFAULT_GROUP, id)).toBe('refused');
  expect(harness.github.count({ method: 'DELETE' })).toBe(5);
  expect(harness.sleeps).not.toContain(REPLICATION_LAG_MS);
});

test('case 19: a 404 on the exchange is tried once more', async () => {
  harness.addApp(1);
  harness.github.fault({ path: MINT, times: 1 }, { status: 404 });
  expect(await (await harness.connect().session(harness.deadline())).listGroups()).toHaveLength(1);
  expect(harness.github.reusedJwts).toEqual([]);
});

test('case 19: a 404 on every exchange is trouble with the App, and neither "gone" nor "not installed"', async () => {
  harness.addApp(1);
  harness.github.fault({ path: MINT }, { status: 404 });
  const session = await harness.connect().session(harness.deadline());
  await expect(session.find(DEFAULT_GROUP, 7)).rejects.toThrow(NoCredentialError);
  expect(session.trouble).toMatchObject([{ credential: 'app 1', reason: 'authentication' }]);
  expect(mints()).toBe(2);
});

test('an App that was installed anew has its new installation looked up once', async () => {
  const old = harness.addApp(1);
  const github = harness.connect();
  await (await github.session(harness.deadline())).listGroups();
  harness.github.uninstall(old);
  harness.github.install(1, { owner: 'acme' });
  harness.time += 60_000;
  expect(await (await github.session(harness.deadline())).listGroups()).toHaveLength(1);
  expect(harness.github.count({ path: '/orgs/acme/installation' })).toBe(2);
  await (await github.session(harness.deadline())).listGroups();
  expect(harness.github.count({ path: '/orgs/acme/installation' })).toBe(2);
});

test('an App that is not installed says so', async () => {
  harness.addApp(1, { installed: false });
  const session = await harness.connect().session(harness.deadline());
  await expect(session.listGroups()).rejects.toThrow(/not installed for acme/);
  expect(session.trouble).toMatchObject([{ credential: 'app 1', reason: 'notInstalled' }]);
});

test('an App id that GitHub does not know is trouble, not a missing installation', async () => {
  harness.addApp(1);
  harness.secrets.set('arn:app1', JSON.stringify({ ...JSON.parse(harness.secrets.get('arn:app1')!), appId: 99 }));
  const session = await harness.connect().session(harness.deadline());
  await expect(session.listGroups()).rejects.toThrow(NoCredentialError);
  expect(session.trouble).toMatchObject([{ credential: 'app 99', reason: 'authentication' }]);
});

test('a suspended App is trouble that names the reason', async () => {
  const installation = harness.addApp(1);
  const github = harness.connect();
  await (await github.session(harness.deadline())).listGroups();
  harness.github.suspendApp(1);
  harness.github.revokeTokens(installation);
  await expect((await github.session(harness.deadline())).listGroups()).rejects.toThrow(/suspended/i);
});

test('a rotated key is read again at once and the request goes on', async () => {
  const installation = harness.addApp(1);
  const github = harness.connect();
  await (await github.session(harness.deadline())).listGroups();
  harness.secrets.set('arn:app1', JSON.stringify({ appId: 1, privateKey: harness.github.rotateKey(1) }));
  harness.github.revokeTokens(installation);
  const session = await github.session(harness.deadline());
  expect(await session.listGroups()).toHaveLength(1);
  expect([harness.reads.length, session.trouble]).toEqual([2, []]);
});

test('a token that was replaced is read again at once', async () => {
  harness.github.addToken('ghp_old');
  harness.secrets.set('arn:token', 'ghp_old');
  const github = harness.connect({ credentials: { kind: 'token', secret: 'arn:token' } });
  await (await github.session(harness.deadline())).listGroups();
  harness.github.removeToken('ghp_old');
  harness.github.addToken('ghp_new');
  harness.secrets.set('arn:token', 'ghp_new');
  expect(await (await github.session(harness.deadline())).listGroups()).toHaveLength(1);
});

test('a token exchange that hangs ends in time, and does not poison the next one', async () => {
  harness.addApp(1);
  const hang = harness.github.fault({ path: MINT }, 'hang');
  const github = harness.connect();
  await expect((await github.session(harness.impatient())).listGroups()).rejects.toThrow(TransientError);
  hang.clear();
  expect(await (await github.session(harness.deadline())).listGroups()).toHaveLength(1);
});

test.each(['cutBody', 'emptyBody', 'html', 'wrongShape', 'reset'] as const)('a token exchange with %s is no token', async (effect) => {
  harness.addApp(1);
  const fault = harness.github.fault({ path: MINT }, effect);
  const github = harness.connect();
  await expect((await github.session(harness.deadline())).listGroups()).rejects.toThrow(TransientError);
  expect(harness.github.count({ path: /runner-groups/ })).toBe(0);
  fault.clear();
  expect(await (await github.session(harness.deadline())).listGroups()).toHaveLength(1);
});

test('no key, token or JWT shows up in errors or logs', async () => {
  harness.addApp(1);
  harness.github.fault({ path: MINT }, { status: 403 });
  const session = await harness.connect().session(harness.deadline());
  const error: unknown = await session.listGroups().catch((reason: unknown) => reason);
  const shown = JSON.stringify([String(error), harness.logged, session.trouble]);
  const secrets = [...harness.github.requests.map(({ token }) => token!), 'PRIVATE KEY'];
  expect(secrets.length).toBeGreaterThan(2);
  for (const secret of secrets) expect(shown).not.toContain(secret);
});
