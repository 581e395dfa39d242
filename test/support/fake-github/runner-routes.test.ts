import { ask } from './ask';
import { FakeGitHub } from './fake-github';

let github: FakeGitHub;
const token = 'ghp_owner';

beforeEach(async () => {
  github = await FakeGitHub.start();
  github.addToken(token);
  github.addOrganization('acme');
  github.addGroup('acme', { id: 2, name: 'fleet' });
  github.addRepository('acme/tools');
});

afterEach(() => github.stop());

const get = async (path: string) => (await ask(github.url, path, { token })).body;
const remove = async (path: string) => (await ask(github.url, path, { token, method: 'DELETE' })).status;
const idsOf = (body: { runners: { id: number }[] }) => body.runners.map(({ id }) => id);

test('a deleted runner is gone from everywhere, and a second DELETE finds nothing', async () => {
  const { id } = github.addRunner('acme', 2, { name: 'ghost' });
  expect(await remove(`/orgs/acme/actions/runners/${id}`)).toBe(204);
  expect(await remove(`/orgs/acme/actions/runners/${id}`)).toBe(404);
  expect(idsOf(await get('/orgs/acme/actions/runner-groups/2/runners'))).toEqual([]);
  expect(idsOf(await get('/orgs/acme/actions/runners'))).toEqual([]);
  expect(github.deletions).toEqual([id]);
});

test('a busy runner is kept, whether it is online or not', async () => {
  const { id } = github.addRunner('acme', 2, { name: 'stuck', busy: true });
  expect(await remove(`/orgs/acme/actions/runners/${id}`)).toBe(422);
  expect(github.runner('acme', id)?.name).toBe('stuck');
  expect(github.deletions).toEqual([]);
});

test('DELETE inside a group only moves the runner to the group Default', async () => {
  const { id } = github.addRunner('acme', 2, { name: 'moved' });
  expect(await remove(`/orgs/acme/actions/runner-groups/2/runners/${id}`)).toBe(204);
  expect(idsOf(await get('/orgs/acme/actions/runner-groups/1/runners'))).toEqual([id]);
  expect(idsOf(await get('/orgs/acme/actions/runner-groups/2/runners'))).toEqual([]);
  expect(github.deletions).toEqual([]);
});

test('changes from outside are seen at once: state, labels, name and group', async () => {
  const { id } = github.addRunner('acme', 2, { name: 'before' });
  github.updateRunner('acme', id, { name: 'after', status: 'online', busy: true, labels: ['self-hosted', 'gpu'], runner_group_id: 1 });
  const runner = await get(`/orgs/acme/actions/runners/${id}`);
  expect(runner).toMatchObject({ id, name: 'after', status: 'online', busy: true, runner_group_id: 1 });
  expect(runner.labels.map((label: { name: string; type: string }) => `${label.name} ${label.type}`)).toEqual(['self-hosted read-only', 'gpu custom']);
  expect(idsOf(await get('/orgs/acme/actions/runner-groups/1/runners'))).toEqual([id]);
});

test('the filter by name is exact and belongs to the whole list, not to a group', async () => {
  const [one] = ['i-1', 'i-12'].map((name) => github.addRunner('acme', 2, { name }));
  expect(idsOf(await get('/orgs/acme/actions/runners?name=i-1'))).toEqual([one.id]);
  expect(idsOf(await get('/orgs/acme/actions/runners?name=i-1&page=2'))).toEqual([]);
  expect(idsOf(await get('/orgs/acme/actions/runner-groups/2/runners?name=i-1'))).toHaveLength(2);
  github.updateRunner('acme', one.id, { name: 'renamed' });
  expect(await get('/orgs/acme/actions/runners?name=i-1')).toEqual({ total_count: 0, runners: [] });
});

test('names that are not ASCII arrive whole', async () => {
  const { id } = github.addRunner('acme', 2, { name: 'läufer-☃' });
  expect((await get(`/orgs/acme/actions/runners/${id}`)).name).toBe('läufer-☃');
});

test('an older server tells less and ignores the filter', async () => {
  ['a', 'b'].forEach((name) => github.addRunner('acme', 2, { name }));
  github.settings.olderServer = true;
  const { runners } = await get('/orgs/acme/actions/runners?name=a');
  expect(runners.map((runner: object) => Object.keys(runner))).toEqual(Array(2).fill(['id', 'name', 'os', 'status', 'busy', 'labels']));
});

test('runners of a repository have no group', async () => {
  const { id } = github.addRepositoryRunner('acme/tools', { name: 'tool' });
  expect(await get(`/repos/acme/tools/actions/runners/${id}`)).not.toHaveProperty('runner_group_id');
  expect(idsOf(await get('/orgs/acme/actions/runners'))).toEqual([]);
  expect(await remove(`/repos/acme/tools/actions/runners/${id}`)).toBe(204);
});

test('groups of the enterprise are listed as inherited, and unknown groups are not found', async () => {
  github.addGroup('acme', { id: 3, name: 'shared', inherited: true });
  const { runner_groups: groups } = await get('/orgs/acme/actions/runner-groups');
  expect(groups.map(({ name, inherited }: { name: string; inherited: boolean }) => [name, inherited]))
    .toEqual([['Default', false], ['fleet', false], ['shared', true]]);
  expect((await ask(github.url, '/orgs/acme/actions/runner-groups/99/runners', { token })).status).toBe(404);
});

test('a name is taken until its runner is gone, and an id is never given twice', () => {
  const first = github.addRunner('acme', 2, { name: 'x' });
  expect(() => github.addRunner('acme', 1, { name: 'x' })).toThrow("has a runner 'x' already");
  github.removeRunner('acme', first.id);
  expect(github.addRunner('acme', 1, { name: 'x' }).id).not.toBe(first.id);
  expect(() => github.removeRunner('acme', first.id)).toThrow(`acme has no runner ${first.id}`);
});
