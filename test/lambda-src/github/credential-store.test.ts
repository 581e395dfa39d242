import { generateKeyPairSync } from 'node:crypto';
import { CredentialStore, isSameCredential } from '../../../lambda-src/github/credential-store';
import { Deadline } from '../../../lambda-src/shared/deadline';
import { DeadlineError } from '../../../lambda-src/shared/errors';

const pem = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const app = (appId: number, privateKey: string) => JSON.stringify({ appId, privateKey });
const [KEY, OTHER_KEY] = [pem(), pem()];
const deadline = Deadline.after(300_000);

function open(secrets: Record<string, string | undefined>) {
  const state = { time: 1_000_000, reads: 0 };
  const read = async (name: string) => {
    state.reads++;
    return secrets[name] ?? Promise.reject(new Error('throttled'));
  };
  const config = { kind: 'apps', secrets: Object.keys(secrets) } as const;
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
