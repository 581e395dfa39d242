import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ask, relation } from './ask';
import { FakeGitHub } from './fake-github';

let github: FakeGitHub;
const token = 'ghp_owner';

beforeEach(async () => {
  github = await FakeGitHub.start();
  github.addToken(token);
  github.addOrganization('acme');
  github.addGroup('acme', { id: 2, name: 'fleet' });
  for (let id = 1; id <= 250; id++) github.addRunner('acme', 2, { id, name: `runner-${id}` });
});

afterEach(() => github.stop());

const page = (query: string) => ask(github.url, `/orgs/acme/actions/runner-groups/2/runners${query}`, { token });

test('following the links leads through the whole group, at numeric addresses of the same origin', async () => {
  const ids: number[] = [];
  const visited: string[] = [];
  let next: string | undefined = '/orgs/acme/actions/runner-groups/2/runners?per_page=100';
  while (next) {
    const told = await ask(github.url, next, { token });
    expect(told.body.total_count).toBe(250);
    ids.push(...told.body.runners.map(({ id }: { id: number }) => id));
    next = relation(told, 'next');
    if (next) visited.push(next);
  }
  expect(ids).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
  const numeric = new RegExp(`^${github.url}/organizations/\\d+/actions/runner-groups/2/runners\\?per_page=100&page=[23]$`);
  expect(visited).toEqual([expect.stringMatching(numeric), expect.stringMatching(numeric)]);
});

test('requests to a numeric address are recorded under the name', async () => {
  await ask(github.url, relation(await page('?per_page=100'), 'next')!, { token });
  expect(github.count({ method: 'GET', path: '/orgs/acme/actions/runner-groups/2/runners' })).toBe(2);
  expect(github.count({ path: /runners\?.*page=2/ })).toBe(1);
  expect(github.requests[1].url).toMatch(/^\/organizations\//);
});

test.each([
  ['', 30, 'next last'],
  ['?per_page=1000', 100, 'next last'],
  ['?per_page=0&page=-3', 30, 'next last'],
  ['?per_page=100&page=2', 100, 'prev next last first'],
  ['?per_page=100&page=3', 50, 'prev first'],
  ['?per_page=100&page=9', 0, 'prev first'],
])('%s gives %d runners and the links "%s"', async (query, count, rels) => {
  const told = await page(query);
  expect(told.body.runners).toHaveLength(count);
  const link = told.headers.get('link') ?? '';
  expect([...link.matchAll(/rel="(\w+)"/g)].map((match) => match[1]).join(' ')).toBe(rels);
});

test('far behind the end the previous page is the last one', async () => {
  expect(relation(await page('?per_page=100&page=9'), 'prev')).toMatch(/page=3$/);
});

test('a list of one page has no links', async () => {
  const told = await ask(github.url, '/orgs/acme/actions/runner-groups', { token });
  expect(told.headers.has('link')).toBe(false);
});

test('links keep the scheme, the host and the prefix that the client used', async () => {
  const told = await ask(github.url, '/api/v3/orgs/acme/actions/runner-groups/2/runners', { token, headers: { 'x-forwarded-proto': 'https' } });
  const { host } = new URL(github.url);
  expect(relation(told, 'next')).toMatch(new RegExp(`^https://${host}/api/v3/organizations/\\d+/`));
});

test("a server of one's own around the same GitHub has links of its own", async () => {
  const server = createServer({ keepAliveTimeout: 0 }, github.handler).listen(0, 'localhost');
  await once(server, 'listening');
  const base = `http://localhost:${(server.address() as AddressInfo).port}`;
  const told = await ask(base, '/orgs/acme/actions/runner-groups/2/runners', { token });
  expect(told.body.total_count).toBe(250);
  expect(relation(told, 'next')).toMatch(new RegExp(`^${base}/organizations/`));
  server.closeAllConnections();
  server.close();
});

test('a short page in the middle still has a next one', async () => {
  github.shapePages('acme', 2, [100, 50]);
  const told = await page('?per_page=100&page=2');
  expect(told.body.runners).toHaveLength(50);
  expect(relation(told, 'next')).toMatch(/page=3$/);
  expect((await page('?per_page=100&page=3')).body.runners).toHaveLength(100);
});

test('the list of groups and the lists of jobs have pages too', async () => {
  github.addGroup('acme', { name: 'third' });
  const groups = await ask(github.url, '/orgs/acme/actions/runner-groups?per_page=2', { token });
  expect(groups.body.runner_groups.map(({ name }: { name: string }) => name)).toEqual(['Default', 'fleet']);
  const rest = await ask(github.url, relation(groups, 'next')!, { token });
  expect(rest.body.runner_groups.map(({ name }: { name: string }) => name)).toEqual(['third']);

  github.addRepository('acme/tools');
  for (let id = 1; id <= 3; id++) github.addJob('acme/tools', { id, run_id: 9 });
  const jobs = await ask(github.url, '/repos/acme/tools/actions/runs/9/jobs?per_page=2&filter=all', { token });
  expect(jobs.body.jobs).toHaveLength(2);
  expect(relation(jobs, 'next')).toMatch(new RegExp(`^${github.url}/repositories/\\d+/actions/runs/9/jobs\\?`));
  expect((await ask(github.url, relation(jobs, 'next')!, { token })).body.jobs).toHaveLength(1);
});
