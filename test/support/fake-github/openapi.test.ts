import type { Asked } from './ask';
import { ask } from './ask';
import { FakeGitHub } from './fake-github';
import { Router } from './router';
import { signAppJwt } from './sign-app-jwt';
import { faultsOfAnswer, faultsOfSchema, isDocumented } from '../openapi/documented-answer';

let github: FakeGitHub;
let jwt: string;
let installationId: number;

beforeAll(async () => {
  github = await FakeGitHub.start();
  const app = github.addApp({ appId: 7 });
  jwt = signAppJwt(app);
  github.addToken('ghp_owner');
  github.addOrganization('acme');
  github.addEnterprise('holding');
  github.addUser('joe');
  github.addRepository('acme/tools');
  installationId = github.install(7, { owner: 'acme' });
  github.install(7, { owner: 'joe' });
  const group = github.addGroup('acme', { id: 4, name: 'fleet' });
  github.addGroup('acme', { id: 5, name: 'shared', inherited: true });
  github.addRunner('acme', group, { id: 11, name: 'idle', status: 'online', labels: ['self-hosted', 'gpu'] });
  github.addRunner('acme', group, { id: 12, name: 'never connected', version: null });
  github.addRunner('acme', group, { id: 13, name: 'at work', status: 'online', busy: true });
  github.addRunner('acme', group, { id: 14, name: 'ghost' });
  github.addRunner('acme', group, { id: 15, name: 'to be moved' });
  github.addRepositoryRunner('acme/tools', { id: 21, name: 'tool' });
  github.addRunner('holding', 1, { id: 31, name: 'central' });
  github.addJob('acme/tools', { id: 100, run_id: 9 });
  github.addJob('acme/tools', { id: 101, run_id: 9, status: 'in_progress', runner_id: 11, runner_name: 'idle', runner_group_id: 4, runner_group_name: 'fleet' });
});

afterAll(() => github.stop());

const asApp = (): Asked => ({ token: jwt });
const asOwner = (): Asked => ({ token: 'ghp_owner' });

/** One normal answer of every endpoint; those that change something come last. */
const NORMAL: readonly [method: string, template: string, path: string, status: number, how: () => Asked][] = [
  ['GET', '/orgs/{org}/actions/runner-groups', '/orgs/acme/actions/runner-groups', 200, asOwner],
  ['GET', '/orgs/{org}/actions/runner-groups/{runner_group_id}', '/orgs/acme/actions/runner-groups/4', 200, asOwner],
  ['GET', '/orgs/{org}/actions/runner-groups/{runner_group_id}/runners', '/orgs/acme/actions/runner-groups/4/runners', 200, asOwner],
  ['GET', '/orgs/{org}/actions/runners', '/orgs/acme/actions/runners', 200, asOwner],
  ['GET', '/orgs/{org}/actions/runners', '/orgs/acme/actions/runners?name=idle', 200, asOwner],
  ['GET', '/orgs/{org}/actions/runners/{runner_id}', '/orgs/acme/actions/runners/11', 200, asOwner],
  ['GET', '/orgs/{org}/actions/runners/{runner_id}', '/orgs/acme/actions/runners/12', 200, asOwner],
  ['GET', '/repos/{owner}/{repo}/actions/runners', '/repos/acme/tools/actions/runners', 200, asOwner],
  ['GET', '/repos/{owner}/{repo}/actions/runners/{runner_id}', '/repos/acme/tools/actions/runners/21', 200, asOwner],
  ['GET', '/repos/{owner}/{repo}/actions/jobs/{job_id}', '/repos/acme/tools/actions/jobs/100', 200, asOwner],
  ['GET', '/repos/{owner}/{repo}/actions/jobs/{job_id}', '/repos/acme/tools/actions/jobs/101', 200, asOwner],
  ['GET', '/orgs/{org}/installation', '/orgs/acme/installation', 200, asApp],
  ['GET', '/rate_limit', '/rate_limit', 200, asOwner],
  ['POST', '/app/installations/{installation_id}/access_tokens', '/app/installations/ID/access_tokens', 201, asApp],
  ['DELETE', '/orgs/{org}/actions/runners/{runner_id}', '/orgs/acme/actions/runners/13', 422, asOwner],
  ['DELETE', '/orgs/{org}/actions/runner-groups/{runner_group_id}/runners/{runner_id}', '/orgs/acme/actions/runner-groups/4/runners/15', 204, asOwner],
  ['DELETE', '/orgs/{org}/actions/runners/{runner_id}', '/orgs/acme/actions/runners/14', 204, asOwner],
  ['DELETE', '/repos/{owner}/{repo}/actions/runners/{runner_id}', '/repos/acme/tools/actions/runners/21', 204, asOwner],
];

test.each(NORMAL)('%s %s answers as GitHub describes it (%s: %d)', async (method, template, path, status, how) => {
  const told = await ask(github.url, path.replace('ID', String(installationId)), { ...how(), method });
  expect(told.status).toBe(status);
  expect(faultsOfAnswer(method, template, status, told.body)).toEqual([]);
});

test('narrowed tokens and refusals to mint are answered as GitHub describes them', async () => {
  const template = '/app/installations/{installation_id}/access_tokens';
  const mint = (id: number, asked: Asked) => ask(github.url, `/app/installations/${id}/access_tokens`, { method: 'POST', ...asked });
  const narrowed = await mint(installationId, { token: jwt, body: { permissions: { actions: 'read' }, repositories: ['tools'] } });
  expect(narrowed.body).toMatchObject({ permissions: { actions: 'read' }, repository_selection: 'selected' });
  const told = [
    narrowed,
    await mint(installationId, { token: 'ghp_wrong' }),
    await mint(1, { token: jwt }),
    await mint(installationId, { token: jwt, body: { permissions: { contents: 'write' } } }),
    await mint(installationId, { token: jwt, body: { repositories: ['unheard-of'] } }),
  ];
  expect(told.map(({ status }) => status)).toEqual([201, 401, 404, 422, 422]);
  expect(told.flatMap(({ status, body }) => faultsOfAnswer('POST', template, status, body))).toEqual([]);
});

test('the endpoints that the extract leaves out are told in its words', async () => {
  const body = async (path: string, asked: Asked) => (await ask(github.url, path, asked)).body;
  expect(faultsOfSchema('installation', await body('/repos/acme/tools/installation', asApp()))).toEqual([]);
  expect(faultsOfSchema('installation', await body('/users/joe/installation', asApp()))).toEqual([]);
  const runs = [
    await body('/repos/acme/tools/actions/runs/9/jobs', asOwner()),
    await body('/repos/acme/tools/actions/runs/9/attempts/1/jobs', asOwner()),
  ];
  expect(runs.map(({ total_count: count, jobs }) => [count, jobs.length])).toEqual([[2, 2], [2, 2]]);
  expect(runs.flatMap(({ jobs }) => jobs.flatMap((job: unknown) => faultsOfSchema('job', job)))).toEqual([]);
  const central = await body('/enterprises/holding/actions/runners', asOwner());
  expect(central.runners.flatMap((runner: unknown) => faultsOfSchema('runner', runner))).toEqual([]);
});

test('every endpoint that the description knows has a normal answer in the table above', () => {
  const checked = new Set(NORMAL.map(([method, template]) => `${method} ${template}`));
  const unchecked = new Router().routes
    .filter(({ method, template }) => isDocumented(method, template) && !checked.has(`${method} ${template}`));
  expect(unchecked.map(({ template }) => template)).toEqual([]);
});

test('a path that GitHub does not have is answered 404', async () => {
  const told = await ask(github.url, '/orgs/acme/actions/runner_groups/4/runners', asOwner());
  expect(told.status).toBe(404);
  expect(faultsOfSchema('basic-error', told.body)).toEqual([]);
});

test('the validation notices a missing, a misshapen, an invented property and an undocumented status', () => {
  const template = '/orgs/{org}/actions/runners/{runner_id}';
  const runner = { id: 1, name: 'a', os: 'linux', status: 'offline', busy: false, labels: [] };
  expect(faultsOfAnswer('GET', template, 200, runner)).toEqual([]);
  expect(faultsOfAnswer('GET', template, 200, { ...runner, busy: undefined })).toHaveLength(1);
  expect(faultsOfAnswer('GET', template, 200, { ...runner, busy: 'false' })).toHaveLength(1);
  expect(faultsOfAnswer('GET', template, 200, { ...runner, last_seen: 'never' })).toHaveLength(1);
  expect(faultsOfAnswer('GET', template, 418, runner)).toHaveLength(1);
  expect(faultsOfAnswer('DELETE', template, 204, {})).toHaveLength(1);
});
