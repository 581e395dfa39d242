import { ask } from './ask';
import type { Permissions } from './caller';
import { FakeGitHub } from './fake-github';
import { signAppJwt } from './sign-app-jwt';

const INSTALLATION = 70;
let github: FakeGitHub;
let app: { appId: number; privateKey: string };

beforeEach(async () => {
  github = await FakeGitHub.start();
  app = github.addApp({ appId: 7 });
  github.addOrganization('acme');
  github.addOrganization('rival');
  github.addEnterprise('holding');
  github.addRepository('acme/tools');
  github.addRepository('acme/secret');
  github.addRepository('rival/open', { private: false });
  github.addRepository('rival/closed');
  github.addRunner('acme', 1, { id: 1, name: 'a' });
  github.addRunner('rival', 1, { id: 2, name: 'a' });
  for (const repository of ['acme/tools', 'rival/open', 'rival/closed']) github.addJob(repository, { id: 5, run_id: 1 });
  github.addToken('ghp_owner');
});

afterEach(() => github.stop());

/** Of a fresh installation that takes the place of an earlier one. */
async function tokenWith(options: { permissions?: Permissions; repositories?: readonly string[] }): Promise<string> {
  github.uninstall(INSTALLATION);
  const id = github.install(7, { owner: 'acme', installationId: INSTALLATION, ...options });
  return (await ask(github.url, `/app/installations/${id}/access_tokens`, { method: 'POST', token: signAppJwt(app) })).body.token;
}

test('a missing permission is a 403 that names what would do, and that carries quota headers like a limit', async () => {
  const token = await tokenWith({ permissions: { organization_self_hosted_runners: 'read' } });
  expect((await ask(github.url, '/orgs/acme/actions/runners/1', { token })).status).toBe(200);
  const told = await ask(github.url, '/orgs/acme/actions/runners/1', { token, method: 'DELETE' });
  expect(told.status).toBe(403);
  expect(told.body.message).toBe('Resource not accessible by integration');
  expect(told.headers.get('x-accepted-github-permissions')).toBe('organization_self_hosted_runners=write');
  expect(told.headers.get('x-ratelimit-remaining')).toBe('4998');
  expect(github.deletions).toEqual([]);
});

test.each([
  ['/orgs/acme/actions/runners', { organization_self_hosted_runners: 'write' }],
  ['/orgs/acme/actions/runner-groups', { organization_self_hosted_runners: 'write' }],
  ['/repos/acme/tools/actions/runners', { administration: 'write' }],
  ['/repos/acme/tools/actions/jobs/5', { actions: 'read' }],
] as const)('%s needs exactly its own permission', async (path, own) => {
  const token = await tokenWith({ permissions: own });
  expect((await ask(github.url, path, { token })).status).toBe(200);
  const { [Object.keys(own)[0]]: _, ...others }: Record<string, 'read' | 'write'> = {
    organization_self_hosted_runners: 'write', administration: 'write', actions: 'write', metadata: 'read',
  };
  expect((await ask(github.url, path, { token: await tokenWith({ permissions: others }) })).status).toBe(403);
});

test('what belongs to somebody else does not exist for an installation', async () => {
  const token = await tokenWith({});
  const status = async (path: string) => (await ask(github.url, path, { token })).status;
  expect(await status('/orgs/rival/actions/runners')).toBe(404);
  expect(await status('/orgs/rival/actions/runners/2')).toBe(404);
  expect(await status('/orgs/nobody/actions/runners')).toBe(404);
  expect(await status('/repos/rival/closed/actions/jobs/5')).toBe(404);
});

test('jobs of a public repository can be read by everybody, its runners cannot', async () => {
  const token = await tokenWith({});
  expect((await ask(github.url, '/repos/rival/open/actions/jobs/5', { token })).status).toBe(200);
  expect((await ask(github.url, '/repos/rival/open/actions/runners', { token })).status).toBe(404);
});

test('an installation in selected repositories does not reach the others', async () => {
  const token = await tokenWith({ repositories: ['acme/tools'] });
  expect((await ask(github.url, '/repos/acme/tools/actions/runners', { token })).status).toBe(200);
  expect((await ask(github.url, '/repos/acme/secret/actions/runners', { token })).status).toBe(404);
});

test('a token narrowed at its minting may do less than its installation', async () => {
  const id = github.install(7, { owner: 'acme' });
  const body = { permissions: { actions: 'read' }, repositories: ['tools'] };
  const { token } = (await ask(github.url, `/app/installations/${id}/access_tokens`, { method: 'POST', token: signAppJwt(app), body })).body;
  expect((await ask(github.url, '/repos/acme/tools/actions/jobs/5', { token })).status).toBe(200);
  expect((await ask(github.url, '/repos/acme/secret/actions/jobs/5', { token })).status).toBe(404);
  expect((await ask(github.url, '/orgs/acme/actions/runners', { token })).status).toBe(403);
});

test('an enterprise accepts a classic token only', async () => {
  const path = '/enterprises/holding/actions/runner-groups';
  expect((await ask(github.url, path, { token: await tokenWith({}) })).status).toBe(403);
  expect((await ask(github.url, path, { token: 'ghp_owner' })).status).toBe(200);
  expect((await ask(github.url, '/enterprises/acme/actions/runner-groups', { token: 'ghp_owner' })).status).toBe(404);
  expect((await ask(github.url, '/orgs/holding/actions/runner-groups', { token: 'ghp_owner' })).status).toBe(404);
});

test('a token that was taken away is refused', async () => {
  github.removeToken('ghp_owner');
  expect((await ask(github.url, '/orgs/acme/actions/runners', { token: 'ghp_owner' })).status).toBe(401);
});

test('logins are compared without case', async () => {
  expect((await ask(github.url, '/orgs/ACME/actions/runners/1', { token: 'ghp_owner' })).status).toBe(200);
});
