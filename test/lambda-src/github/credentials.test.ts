import { generateKeyPairSync } from 'node:crypto';
import { loadCredentials, resolveCredentials } from '../../../lambda-src/github/credentials';
import { ConfigurationError } from '../../../lambda-src/shared/errors';
import type { CredentialsConfig } from '../../../src/contract/janitor-config';

const pem = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const KEY = pem();
const PLACEHOLDER = '-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----';

function load(config: CredentialsConfig, kept: Record<string, string>) {
  const read = async (name: string) => kept[name] ?? Promise.reject(new Error(`no ${name}`));
  return loadCredentials(config, { readSecret: read, readParameter: read }, () => AbortSignal.timeout(1000));
}

const summary = async (loading: ReturnType<typeof load>) => {
  const { credentials, errors, host } = await loading;
  const messages = errors.map(({ message }) => message).join();
  return { names: credentials.map(({ name }) => name), failed: errors.map(({ source }) => source), messages, host };
};

const app = (fields: Record<string, unknown>) => JSON.stringify({ appId: 1, privateKey: KEY, ...fields });

describe('Apps, each in a secret', () => {
  const config: CredentialsConfig = { kind: 'apps', secrets: ['one', 'two', 'three'] };

  test('each App keeps its id, key and installation', async () => {
    const { credentials, errors } = await load(config, {
      one: app({}), two: app({ appId: '2', installationId: '22' }), three: app({ appId: 'Iv23liAbc', installationId: 33 }),
    });
    expect(errors).toEqual([]);
    expect(credentials).toMatchObject([
      { kind: 'app', name: 'app 1', appId: '1', installationId: undefined },
      { appId: '2', installationId: 22 },
      { appId: 'Iv23liAbc', installationId: 33 },
    ]);
  });

  test.each([
    ['it does not exist', undefined],
    ['it is no JSON', 'hunter2'],
    ['it is an array', '[]'],
    ['the App id is missing', app({ appId: undefined })],
    ['the App id is zero', app({ appId: 0 })],
    ['the key is missing', app({ privateKey: undefined })],
    ['the key is a placeholder', app({ privateKey: PLACEHOLDER })],
    ['the key is damaged', app({ privateKey: KEY.slice(0, 500) })],
    ['the installation is no number', app({ installationId: 'x' })],
  ])('one that cannot be used never blocks the others: %s', async (_, broken) => {
    const kept = { one: app({}), ...(broken !== undefined && { two: broken }), three: app({ appId: 3 }) };
    const { names, failed, messages } = await summary(load(config, kept));
    expect(names).toEqual(['app 1', 'app 3']);
    expect(failed).toEqual(['two']);
    expect(messages).not.toMatch(/hunter2|MII/);
  });

  test('the same App twice counts once', async () => {
    expect(await summary(load(config, { one: app({}), two: app({}), three: app({ appId: 3 }) }))).toMatchObject({ names: ['app 1', 'app 3'], failed: [] });
  });
});

describe('a token', () => {
  const config: CredentialsConfig = { kind: 'token', secret: 'token' };

  test.each([['plain', 'ghp_abc\n'], ['in JSON', '{ "token": "ghp_abc" }']])('%s', async (_, text) => {
    expect((await load(config, { token: text })).credentials).toEqual([{ kind: 'token', name: 'token', token: 'ghp_abc', sources: ['token'] }]);
  });

  test.each([['nothing', ''], ['blanks inside', 'ghp_abc def'], ['a second header', 'ghp_abc\nx-evil: 1'], ['JSON without it', '{}'], ['a broken object', '{ghp_abc']])(
    '%s is refused without being shown', async (_, text) => {
      const { names, failed, messages } = await summary(load(config, { token: text }));
      expect([names, failed]).toEqual([[], ['token']]);
      expect(messages).not.toContain('abc');
    });
});

describe('the two secrets of cdk-github-runners', () => {
  const config: CredentialsConfig = { kind: 'cdkGithubRunners', secret: 'github', privateKey: 'key' };
  const github = (fields: Record<string, unknown>) => JSON.stringify({ domain: 'github.com', appId: '', personalAuthToken: '', dummy: 'x', ...fields });

  test('an App, with the host it was issued by', async () => {
    const { credentials, host } = await load(config, { github: github({ domain: 'ghe.example', appId: 123456, runnerLevel: 'org' }), key: KEY });
    expect(credentials).toMatchObject([{ name: 'app 123456', installationId: undefined }]);
    expect(host).toEqual({ githubUrl: 'https://ghe.example' });
  });

  test('a personal access token, for which no key is read', async () => {
    const { credentials, errors } = await load(config, { github: github({ appId: 1, personalAuthToken: 'ghp_abc' }) });
    expect([credentials, errors]).toEqual([[{ kind: 'token', name: 'token', token: 'ghp_abc', sources: ['github'] }], []]);
  });

  test.each([
    ['neither App nor token', github({}), PLACEHOLDER],
    ['an App whose key is still the placeholder', github({ appId: 1 }), PLACEHOLDER],
  ])('%s is not set up yet, and that is said', async (_, secret, key) => {
    const { names, messages } = await summary(load(config, { github: secret, key }));
    expect(names).toEqual([]);
    expect(messages).toContain('not set up yet');
  });

  test('a secret that cannot be read leaves the host unknown, not github.com', async () => {
    expect(await summary(load(config, { key: KEY }))).toMatchObject({ names: [], failed: ['github'], host: 'unknown' });
  });
});

describe('a manifest in Parameter Store', () => {
  const config: CredentialsConfig = { kind: 'ssmManifest', parameter: '/manifest' };
  const entry = (n: number, installation: string | null = null) =>
    ({ idParamName: `/id${n}`, keyParamName: `/key${n}`, installationIdParamName: installation });
  const manifest = JSON.stringify([entry(1), entry(2), entry(3, '/installation3')]);
  const parameters = {
    '/manifest': manifest, '/id1': '1', '/id2': '2', '/id3': '3', '/key1': Buffer.from(KEY).toString('base64'), '/key2': KEY, '/key3': KEY, '/installation3': '33',
  };

  test('each App has its own parameters', async () => {
    const { credentials } = await load(config, parameters);
    expect(credentials).toMatchObject([{ appId: '1', installationId: undefined }, { appId: '2' }, { appId: '3', installationId: 33 }]);
  });

  test('case 23: of three Apps, the second without its key, two work and one error is counted', async () => {
    const { '/key2': _, ...others } = parameters;
    expect(await summary(load(config, others))).toMatchObject({ names: ['app 1', 'app 3'], failed: ['/key2'] });
  });

  test.each([['no JSON', 'x'], ['no array', '{}'], ['an empty array', '[]'], ['an entry that is none', '[1]'], ['a nameless entry', '[{"idParamName":"/id1"}]']])(
    '%s is one error that names the manifest', async (_, text) => {
      expect(await summary(load(config, { ...parameters, '/manifest': text }))).toMatchObject({ names: [], failed: ['/manifest'] });
    });
});

test.each<[CredentialsConfig, CredentialsConfig]>([
  [{ kind: 'apps', secrets: ['A', 'B'] }, { kind: 'apps', secrets: ['arn:a', 'arn:b'] }],
  [{ kind: 'token', secret: 'A' }, { kind: 'token', secret: 'arn:a' }],
  [{ kind: 'cdkGithubRunners', secret: 'A', privateKey: 'B' }, { kind: 'cdkGithubRunners', secret: 'arn:a', privateKey: 'arn:b' }],
  [{ kind: 'ssmManifest', parameter: 'A' }, { kind: 'ssmManifest', parameter: 'arn:a' }],
])('names of variables become what they hold: %p', (config, resolved) => {
  expect(resolveCredentials(config, { A: 'arn:a', B: 'arn:b' })).toEqual(resolved);
});

test('nothing is read while certificates are not checked', () => {
  expect(() => resolveCredentials({ kind: 'token', secret: 'TOKEN' }, { TOKEN: 'arn', NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toThrow(/NODE_TLS_REJECT_UNAUTHORIZED must not be 0/);
  expect(resolveCredentials({ kind: 'token', secret: 'TOKEN' }, { TOKEN: 'arn', NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toEqual({ kind: 'token', secret: 'arn' });
});

test('a variable that is missing is named', () => {
  expect(() => resolveCredentials({ kind: 'token', secret: 'GITHUB_TOKEN_SECRET' }, {})).toThrow(new ConfigurationError('environment variable GITHUB_TOKEN_SECRET is missing'));
});
