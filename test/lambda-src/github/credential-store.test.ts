import { generateKeyPairSync } from 'node:crypto';
import { CredentialStore, isSameCredential } from '../../../lambda-src/github/credential-store';
import { Deadline } from '../../../lambda-src/shared/deadline';
import { DeadlineError } from '../../../lambda-src/shared/errors';
import type { CredentialsConfig } from '../../../src/contract/janitor-config';

const pem = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const app = (appId: number, privateKey: string) => JSON.stringify({ appId, privateKey });
const [KEY, OTHER_KEY] = [pem(), pem()];
const deadline = Deadline.after(300_000);

type Secrets = Record<string, string | undefined>;

function open(secrets: Secrets, config: CredentialsConfig = { kind: 'apps', secrets: Object.keys(secrets) }) {
  const state = { time: 1_000_000, reads: 0 };
  const read = async (name: string) => {
    state.reads++;
    return secrets[name] ?? Promise.reject(new Error('throttled'));
  };
  const store = new CredentialStore({ config, reader: { readSecret: read, readParameter: read }, now: () => state.time });
  const names = async () => (await store.load(deadline)).credentials.map(({ name }) => name);
  return { store, state, names };
}

test('secrets are read once in five minutes', async () => {
  const { state, names } = open({ one: app(1, KEY) });
  await names();
  state.time += 299_000;
  await names();
  expect(state.reads).toBe(1);
  state.time += 1_000;
  await names();
  expect(state.reads).toBe(2);
});

test('after an error they are read again in a minute', async () => {
  const secrets = { one: app(1, KEY), two: undefined as string | undefined };
  const { state, names } = open(secrets);
  expect(await names()).toEqual(['app 1']);
  secrets.two = app(2, KEY);
  expect(await names()).toEqual(['app 1']);
  state.time += 60_000;
  expect(await names()).toEqual(['app 1', 'app 2']);
});

test('a store that is out of reach does not take away a credential that was good before, and the error is still told', async () => {
  const secrets = { one: app(1, KEY), two: app(2, KEY) as string | undefined };
  const { store, state, names } = open(secrets);
  await names();
  secrets.two = undefined;
  state.time += 300_000;
  expect(await names()).toEqual(['app 1', 'app 2']);
  expect((await store.load(deadline)).errors).toMatchObject([{ source: 'two' }]);
});

test('an App that was replaced in its own secret does not come back while that of another one is out of reach', async () => {
  const secrets = { one: app(1, KEY), two: app(2, KEY) as string | undefined };
  const { state, names } = open(secrets);
  await names();
  Object.assign(secrets, { one: app(9, KEY), two: undefined });
  state.time += 300_000;
  expect(await names()).toEqual(['app 9', 'app 2']);
  secrets.one = '{}';
  state.time += 60_000;
  expect(await names()).toEqual(['app 2']);
});

describe('Apps whose id and key are kept apart', () => {
  const entry = (n: number) => ({ idParamName: `/id${n}`, keyParamName: `/key${n}`, installationIdParamName: `/installation${n}` });
  const manifest = (...numbers: number[]) => JSON.stringify(numbers.map(entry));
  const kept = (n: number) => ({ [`/id${n}`]: String(n), [`/key${n}`]: KEY, [`/installation${n}`]: '5' });

  async function afterwards(config: CredentialsConfig, before: Secrets, change: Secrets): Promise<readonly string[]> {
    const secrets = { ...before };
    const { state, names } = open(secrets, config);
    await names();
    Object.assign(secrets, change);
    state.time += 300_000;
    return names();
  }

  test.each<[string, Secrets, string[]]>([
    ['all stay while the manifest is out of reach', { '/manifest': undefined }, ['app 1', 'app 2']],
    ['one stays while its id is out of reach', { '/id2': undefined }, ['app 1', 'app 2']],
    ['one stays while its key is out of reach', { '/key2': undefined }, ['app 1', 'app 2']],
    ['one whose id has changed goes, also while the new key is out of reach', { '/id2': '9', '/key2': undefined }, ['app 1']],
    ['one whose id has changed goes, also while the new installation is out of reach', { '/id2': '9', '/installation2': undefined }, ['app 1']],
    ['one that the manifest names no more goes, also while another one is out of reach', { '/manifest': manifest(2), '/key2': undefined }, ['app 2']],
  ])('in a manifest: %s', async (_, change, expected) => {
    const config = { kind: 'ssmManifest', parameter: '/manifest' } as const;
    expect(await afterwards(config, { '/manifest': manifest(1, 2), ...kept(1), ...kept(2) }, change)).toEqual(expected);
  });

  const github = (fields: object) => JSON.stringify({ domain: 'github.com', appId: '1', personalAuthToken: '', ...fields });

  test.each<[string, Secrets, string[]]>([
    ['it stays while both are out of reach', { github: undefined, key: undefined }, ['app 1']],
    ['it stays while its key is out of reach', { key: undefined }, ['app 1']],
    ['it goes when the secret names another App', { github: github({ appId: '7' }), key: undefined }, []],
    ['it goes when the secret names another host', { github: github({ domain: 'ghe.example' }), key: undefined }, []],
  ])('in the secrets of cdk-github-runners: %s', async (_, change, expected) => {
    const config = { kind: 'cdkGithubRunners', secret: 'github', privateKey: 'key' } as const;
    expect(await afterwards(config, { github: github({}), key: KEY }, change)).toEqual(expected);
  });
});

describe('a clock that is set back by a day', () => {
  const DAY = 86_400_000;

  test('does not keep what was read once from being read again', async () => {
    const secrets = { one: app(1, KEY) };
    const { state, names } = open(secrets);
    await names();
    secrets.one = app(2, KEY);
    state.time -= DAY;
    expect(await names()).toEqual(['app 2']);
  });

  test('does not keep a refused credential from being read again', async () => {
    const secrets = { one: app(1, KEY) };
    const { store, state } = open(secrets);
    await store.reread(deadline);
    secrets.one = app(2, KEY);
    state.time -= DAY;
    expect((await store.reread(deadline)).credentials).toMatchObject([{ name: 'app 2' }]);
  });
});

test('content that has become wrong takes its credential away', async () => {
  const secrets = { one: app(1, KEY), two: app(2, KEY) };
  const { state, names } = open(secrets);
  await names();
  secrets.two = '{}';
  state.time += 300_000;
  expect(await names()).toEqual(['app 1']);
});

test('a refused credential is read again at once, but not more than once a minute', async () => {
  const secrets = { one: app(1, KEY) };
  const { store, state } = open(secrets);
  const before = await store.load(deadline);
  secrets.one = app(1, OTHER_KEY);
  const after = await store.reread(deadline);
  expect(isSameCredential(before.credentials[0]!, after.credentials[0]!)).toBe(false);
  await store.reread(deadline);
  expect(state.reads).toBe(2);
  state.time += 60_000;
  await store.reread(deadline);
  expect(state.reads).toBe(3);
});

test('nothing is read without time left', async () => {
  await expect(open({ one: app(1, KEY) }).store.load(Deadline.after(5_000))).rejects.toThrow(DeadlineError);
});
