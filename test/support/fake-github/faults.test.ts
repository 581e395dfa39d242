import { ask } from './ask';
import { FakeGitHub } from './fake-github';
import type { FaultEffect } from './faults';
import { signAppJwt } from './sign-app-jwt';

let github: FakeGitHub;
const token = 'ghp_owner';
const RUNNER = '/orgs/acme/actions/runners/1';

beforeEach(async () => {
  github = await FakeGitHub.start();
  github.addToken(token);
  github.addOrganization('acme');
  github.addRunner('acme', 1, { id: 1, name: 'a' });
});

afterEach(() => github.stop());

const read = () => ask(github.url, RUNNER, { token });
const remove = () => ask(github.url, RUNNER, { token, method: 'DELETE' });
const header = (told: { headers: Headers }, name: string) => told.headers.get(name);

test.each<[string, FaultEffect<FakeGitHub>, number, RegExp, string | null, boolean]>([
  ['permission403', 'permission403', 403, /Resource not accessible by integration/, null, true],
  ['limit403', 'limit403', 403, /API rate limit exceeded/, null, false],
  ['limit429', 'limit429', 429, /API rate limit exceeded/, null, false],
  ['secondary403', 'secondary403', 403, /secondary rate limit/, null, true],
  ['retryAfter', { retryAfter: 17 }, 403, /secondary rate limit/, '17', true],
  ['retryAfter with a status', { retryAfter: 17, status: 429 }, 429, /secondary rate limit/, '17', true],
  ['a status', { status: 502 }, 502, /Bad Gateway/, null, true],
])('%s looks like the real thing', async (_, effect, status, message, retryAfter, hasQuotaLeft) => {
  github.fault({}, effect);
  const told = await read();
  expect(told.status).toBe(status);
  expect(told.body.message).toMatch(message);
  expect(header(told, 'retry-after')).toBe(retryAfter);
  expect(Number(header(told, 'x-ratelimit-remaining')) > 0).toBe(hasQuotaLeft);
  expect(Number(header(told, 'x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
  expect(github.remaining(token)).toBe(4999);
});

test('a limit can also be faked where nothing is counted, at the minting of a token', async () => {
  const app = github.addApp({ appId: 7 });
  const id = github.install(7, { owner: 'acme' });
  github.fault({ path: /access_tokens$/ }, 'limit403');
  const told = await ask(github.url, `/app/installations/${id}/access_tokens`, { method: 'POST', token: signAppJwt(app) });
  expect([told.status, header(told, 'x-ratelimit-remaining')]).toEqual([403, '0']);
  expect(Number(header(told, 'x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
});

test('an answer can be empty, HTML, of a wrong shape, or anything', async () => {
  const effects: FaultEffect<FakeGitHub>[] = ['emptyBody', 'html', 'wrongShape', { status: 200, body: '{"id": 1', headers: { 'content-type': 'text/plain' } }];
  for (const effect of effects) github.fault({ times: 1 }, effect);
  const told = [await read(), await read(), await read(), await read()];
  expect(told.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(told.map(({ body }) => body)).toEqual([undefined, expect.stringContaining('<html>'), { data: {} }, '{"id": 1']);
  expect(header(told[1], 'content-type')).toMatch(/^text\/html/);
});

test('wrong types are the real answer in strings', async () => {
  github.fault({}, 'wrongTypes');
  expect((await read()).body).toMatchObject({ id: '1', name: 'a', busy: 'false', version: expect.any(String) });
});

test('a cut body announces more than it sends', async () => {
  github.fault({}, 'cutBody');
  const response = await fetch(`${github.url}${RUNNER}`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
});

test('a reset leaves no answer and no effect, a reset afterwards has the effect', async () => {
  github.fault({ times: 1 }, 'reset');
  await expect(remove()).rejects.toThrow();
  expect(github.deletions).toEqual([]);
  github.fault({ times: 1 }, 'resetAfter');
  await expect(remove()).rejects.toThrow();
  expect(github.deletions).toEqual([1]);
  expect(github.requests.map(({ status }) => status)).toEqual([0, 0]);
});

test('an answer that is replaced has no effect, one that is only damaged has', async () => {
  github.fault({ times: 1 }, { status: 502 });
  expect((await remove()).status).toBe(502);
  expect(github.deletions).toEqual([]);
  github.fault({ times: 1 }, 'cutBody');
  await expect(remove()).rejects.toThrow();
  expect(github.deletions).toEqual([1]);
});

test('a hanging request never gets an answer, and does not keep the server from stopping', async () => {
  github.fault({}, 'hang');
  await expect(fetch(`${github.url}${RUNNER}`, { signal: AbortSignal.timeout(100) })).rejects.toThrow('timeout');
  const hanging = expect(read()).rejects.toThrow();
  while (github.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  await github.stop();
  await hanging;
});

test('a slow answer is a normal one', async () => {
  github.fault({}, { delayMs: 80 });
  const started = performance.now();
  expect((await read()).body.name).toBe('a');
  expect(performance.now() - started).toBeGreaterThanOrEqual(75);
});

test('headers of a normal answer can be replaced: a next page at another origin', async () => {
  github.fault({}, { headers: { link: '<http://evil.example/page2>; rel="next"' } });
  const told = await read();
  expect([told.body.name, header(told, 'link')]).toEqual(['a', '<http://evil.example/page2>; rel="next"']);
});

test('a function changes the world just before the answer: the runner takes a job between GET and DELETE', async () => {
  github.fault({ method: 'DELETE' }, (state) => state.updateRunner('acme', 1, { busy: true }));
  expect((await read()).body.busy).toBe(false);
  expect((await remove()).status).toBe(422);
});

test('a function makes the pages shift while they are read', async () => {
  for (let id = 2; id <= 4; id++) github.addRunner('acme', 1, { id, name: `runner ${id}` });
  github.fault({ path: /[?&]page=2/ }, (state) => state.removeRunner('acme', 1));
  const ids = async (page: number) =>
    (await ask(github.url, `/orgs/acme/actions/runners?per_page=2&page=${page}`, { token })).body.runners.map(({ id }: { id: number }) => id);
  expect([await ids(1), await ids(2)]).toEqual([[1, 2], [4]]);
});

test('a fault spares the first requests, happens so often, and can be cleared', async () => {
  const fault = github.fault({ skip: 1, times: 2 }, { status: 500 });
  const statuses = async (times: number) => {
    const seen: number[] = [];
    for (let turn = 0; turn < times; turn++) seen.push((await read()).status);
    return seen;
  };
  expect(await statuses(4)).toEqual([200, 500, 500, 200]);
  expect(fault.hits).toBe(2);
  const forever = github.fault({}, { status: 503 });
  expect(await statuses(2)).toEqual([503, 503]);
  forever.clear();
  expect(await statuses(1)).toEqual([200]);
});

test('a fault finds its requests by method, path, query and App, also behind numeric links', async () => {
  const app = github.addApp({ appId: 7 });
  const id = github.install(7, { owner: 'acme' });
  const minted = await ask(github.url, `/app/installations/${id}/access_tokens`, { method: 'POST', token: signAppJwt(app) });
  github.fault({ app: 7, path: RUNNER }, { status: 500 });
  github.fault({ method: 'GET', path: /^\/orgs\/acme\/actions\/runners\?page=2$/ }, { status: 501 });
  expect((await read()).status).toBe(200);
  expect((await ask(github.url, RUNNER, { token: minted.body.token })).status).toBe(500);

  const organizationId = github.organizationId('acme');
  const list = async (path: string) => (await ask(github.url, `/organizations/${organizationId}${path}`, { token })).status;
  expect([await list('/actions/runners'), await list('/actions/runners?page=2'), await list('/actions/runners?page=2')]).toEqual([200, 501, 501]);
});

test('a path with the flag g is as good as one without', async () => {
  github.fault({ path: /runners\/1$/g }, { status: 500 });
  expect([(await read()).status, (await read()).status, github.count({ path: /runners\/1$/g, status: 500 })]).toEqual([500, 500, 2]);
});

test('what goes wrong in the fake itself is told at its end', async () => {
  github.fault({}, () => {
    throw new Error('a mistake in a test');
  });
  await expect(read()).rejects.toThrow();
  await expect(github.stop()).rejects.toThrow('a mistake in a test');
});
