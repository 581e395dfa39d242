import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import { ask } from './ask';
import { FakeGitHub } from './fake-github';
import { signAppJwt } from './sign-app-jwt';

let github: FakeGitHub;
let app: { appId: number; privateKey: string };
let installationId: number;
let now: number;

beforeEach(async () => {
  now = Date.now();
  github = await FakeGitHub.start({ now: () => now });
  app = github.addApp({ appId: 7 });
  github.addOrganization('acme');
  github.addRepository('acme/tools');
  github.addRepository('acme/secret');
  installationId = github.install(7, { owner: 'acme' });
});

afterEach(() => github.stop());

const seconds = () => Math.floor(now / 1000);
const mint = (jwt: string, id = installationId, body?: unknown) =>
  ask(github.url, `/app/installations/${id}/access_tokens`, { method: 'POST', token: jwt, body });
const listRunners = (token?: string) => ask(github.url, '/orgs/acme/actions/runners', { token });

test('the official client authenticates as an App, at the root and under /api/v3', async () => {
  for (const baseUrl of [github.url, `${github.url}/api/v3`]) {
    const octokit = new Octokit({ baseUrl, authStrategy: createAppAuth, auth: { ...app, installationId } });
    const { data } = await octokit.request('GET /orgs/{org}/actions/runners', { org: 'acme' });
    expect(data).toEqual({ total_count: 0, runners: [] });
  }
  expect(github.count({ path: '/orgs/acme/actions/runners', app: 7 })).toBe(2);
});

test.each<[string, () => string, number, RegExp]>([
  ['signed with a foreign key', () => signAppJwt({ appId: 7, privateKey: github.addApp({ appId: 8 }).privateKey }), 401, /could not be decoded/],
  ['signed by an algorithm that is not RS256', () => signAppJwt(app, {}, { alg: 'none' }), 401, /could not be decoded/],
  ['of an App that does not exist', () => signAppJwt({ ...app, appId: 99 }), 404, /Integration not found/],
  ['expired', () => signAppJwt(app, { exp: seconds() - 60 }), 401, /future time at which the assertion expires/],
  ['valid for longer than ten minutes', () => signAppJwt(app, { exp: seconds() + 900 }), 401, /too far in the future/],
  ['issued in the future', () => signAppJwt(app, { iat: seconds() + 120 }), 401, /Issued at/],
  ['issued at no time', () => signAppJwt(app, { iat: undefined }), 401, /Issued at/],
  ['that is garbage', () => 'a.b.c', 401, /could not be decoded/],
])('a JWT %s is refused', async (_, jwt, status, message) => {
  const told = await mint(jwt());
  expect(told.status).toBe(status);
  expect(told.body.message).toMatch(message);
});

test('the client id is as good as the App id, as text or number', async () => {
  const issuers = [7, '7', 'Iv23li7'];
  const told = await Promise.all(issuers.map((iss) => mint(signAppJwt(app, { iss }))));
  expect(told.map(({ status }) => status)).toEqual([201, 201, 201]);
});

test('an installation token ends after an hour, a revoked one at once, and others go on', async () => {
  const first = (await mint(signAppJwt(app))).body;
  expect(Date.parse(first.expires_at)).toBe(seconds() * 1000 + 3_600_000);
  expect((await listRunners(first.token)).status).toBe(200);
  now += 3_599_000;
  expect((await listRunners(first.token)).status).toBe(200);
  now += 2_000;
  expect((await listRunners(first.token)).body.message).toBe('Bad credentials');

  now = Date.now();
  const second = (await mint(signAppJwt(app, { jti: 'second' }))).body;
  const other = github.addApp({ appId: 8 });
  const others = (await mint(signAppJwt(other), github.install(8, { owner: 'acme' }))).body;
  github.revokeTokens(installationId);
  expect((await listRunners(second.token)).status).toBe(401);
  expect((await listRunners(others.token)).status).toBe(200);
  const third = (await mint(signAppJwt(app, { jti: 'third' }))).body;
  expect((await listRunners(third.token)).status).toBe(200);
});

test('no credential, an unknown token and a JWT are refused where an installation token is needed, and the other way round', async () => {
  expect((await listRunners()).body.message).toBe('Requires authentication');
  expect((await listRunners('ghs_unheard_of')).body.message).toBe('Bad credentials');
  expect((await listRunners(signAppJwt(app))).status).toBe(401);
  const { token } = (await mint(signAppJwt(app))).body;
  expect((await ask(github.url, '/orgs/acme/installation', { token })).body.message).toMatch(/could not be decoded/);
});

test('a JWT by which two tokens were minted is reported', async () => {
  const jwt = signAppJwt(app);
  await mint(jwt);
  await mint(signAppJwt(app, { jti: 'another' }));
  expect(github.reusedJwts).toEqual([]);
  await mint(jwt);
  expect(github.reusedJwts).toEqual([jwt]);
});

test('a suspended App cannot mint, nor use what it has', async () => {
  const { token } = (await mint(signAppJwt(app))).body;
  github.suspendApp(7);
  expect((await mint(signAppJwt(app))).body.message).toBe('This installation has been suspended');
  expect((await listRunners(token)).status).toBe(403);
  github.suspendApp(7, false);
  expect((await listRunners(token)).status).toBe(200);
});

test('a rotated key makes the old one worthless', async () => {
  const privateKey = github.rotateKey(7);
  expect((await mint(signAppJwt(app))).status).toBe(401);
  expect((await mint(signAppJwt({ appId: 7, privateKey }))).status).toBe(201);
});

test('an App that was installed again has another installation id', async () => {
  const { token } = (await mint(signAppJwt(app))).body;
  github.uninstall(installationId);
  expect((await listRunners(token)).status).toBe(401);
  expect((await mint(signAppJwt(app))).status).toBe(404);
  expect((await ask(github.url, '/orgs/acme/installation', { token: signAppJwt(app) })).status).toBe(404);

  const again = github.install(7, { owner: 'acme' });
  expect(again).not.toBe(installationId);
  expect((await ask(github.url, '/orgs/acme/installation', { token: signAppJwt(app) })).body.id).toBe(again);
});

test('one App cannot mint for the installation of another', async () => {
  const other = github.addApp({ appId: 8 });
  expect((await mint(signAppJwt(other))).status).toBe(404);
});

test('the App is found in a repository only where it may read it', async () => {
  const other = github.addApp({ appId: 8 });
  github.install(8, { owner: 'acme', repositories: ['acme/Tools'] });
  const found = (name: string) => ask(github.url, `/repos/acme/${name}/installation`, { token: signAppJwt(other) });
  expect((await found('tools')).body.repository_selection).toBe('selected');
  expect((await found('secret')).status).toBe(404);
  expect((await found('unheard-of')).status).toBe(404);
});

test('the date of an answer follows the clock it was given', async () => {
  now = Date.UTC(2030, 0, 1);
  expect((await listRunners()).headers.get('date')).toBe('Tue, 01 Jan 2030 00:00:00 GMT');
});
