import { ask } from './ask';
import { FakeGitHub } from './fake-github';
import { signAppJwt } from './sign-app-jwt';

const HOUR = 3_600_000;
let github: FakeGitHub;
let now: number;

beforeEach(async () => {
  now = Date.now();
  github = await FakeGitHub.start({ now: () => now });
  github.addOrganization('acme');
  github.addRunner('acme', 1, { id: 1, name: 'a' });
});

afterEach(() => github.stop());

const read = (token: string) => ask(github.url, '/orgs/acme/actions/runners/1', { token });
const figures = ({ headers }: { headers: Headers }) =>
  ['limit', 'remaining', 'used', 'resource'].map((name) => headers.get(`x-ratelimit-${name}`)).join(' ');

test('every request takes one off, failing ones too, and the headers say so', async () => {
  github.addToken('ghp_a', { limit: 10 });
  expect(figures(await read('ghp_a'))).toBe('10 9 1 core');
  expect(figures(await ask(github.url, '/orgs/acme/actions/runners/99', { token: 'ghp_a' }))).toBe('10 8 2 core');
  expect(github.remaining('ghp_a')).toBe(8);
});

test('when nothing is left a request is refused, until the hour is over', async () => {
  github.addToken('ghp_a', { limit: 1 });
  const reset = Number((await read('ghp_a')).headers.get('x-ratelimit-reset'));
  const refused = await read('ghp_a');
  expect([refused.status, figures(refused)]).toEqual([403, '1 0 1 core']);
  expect(refused.body.message).toMatch(/^API rate limit exceeded for user ID \d+/);
  expect(github.requests.map(({ refusedBy }) => refusedBy)).toEqual([undefined, 'quota']);

  expect(reset).toBe(Math.ceil((now + HOUR) / 1000));
  now += HOUR - 1;
  expect((await read('ghp_a')).status).toBe(403);
  now += 1;
  const fresh = await read('ghp_a');
  expect([fresh.status, figures(fresh)]).toEqual([200, '1 0 1 core']);
});

test('every installation and every token has a quota of its own, and a new token does not refill it', async () => {
  const app = github.addApp({ appId: 7, limit: 5 });
  github.addOrganization('rival');
  const [ours, theirs] = ['acme', 'rival'].map((owner) => github.install(7, { owner }));
  const mint = async (jti: string) =>
    (await ask(github.url, `/app/installations/${ours}/access_tokens`, { method: 'POST', token: signAppJwt(app, { jti }) })).body.token;
  await read(await mint('first'));
  await read(await mint('second'));
  expect([github.remaining(ours), github.remaining(theirs)]).toEqual([3, 5]);
});

test('asking for the quota is free, and it can be set from outside', async () => {
  github.addToken('ghp_a', { limit: 100 });
  github.setRemaining('ghp_a', 0);
  const told = await ask(github.url, '/rate_limit', { token: 'ghp_a' });
  expect(told.body.resources.core).toMatchObject({ limit: 100, remaining: 0, used: 100 });
  expect(told.status).toBe(200);
  expect(() => github.remaining('ghp_unheard_of')).toThrow('there is no installation or token');
});

test('without limits there are no headers and no /rate_limit', async () => {
  github.addToken('ghp_a', { limit: 0 });
  github.quotaEnabled = false;
  const told = await read('ghp_a');
  expect(told.status).toBe(200);
  expect([...told.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  expect((await ask(github.url, '/rate_limit', { token: 'ghp_a' })).status).toBe(404);
});

describe('the secondary limits', () => {
  beforeEach(() => {
    github.addToken('ghp_a', { limit: 100_000 });
    github.enforceSecondaryLimits = true;
  });

  test('allow 180 DELETEs in any minute at one endpoint', async () => {
    const remove = () => ask(github.url, '/orgs/acme/actions/runners/99', { token: 'ghp_a', method: 'DELETE' });
    for (let count = 0; count < 180; count++) {
      expect((await remove()).status).toBe(404);
      now += 100;
    }
    const refused = await remove();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([403, '60']);
    expect(Number(refused.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
    expect(github.requests.at(-1)?.refusedBy).toBe('secondary limit');
    expect((await read('ghp_a')).status).toBe(200);

    // 18 seconds have gone by: the first DELETE falls out of the minute after 42 more
    now += 41_999;
    expect((await remove()).status).toBe(403);
    now += 1;
    expect((await remove()).status).toBe(404);
    expect((await remove()).status).toBe(403);
  });

  test('allow 900 GETs a minute, to each caller', async () => {
    github.addToken('ghp_b');
    const statuses = await inTurns(901, async () => (await read('ghp_a')).status);
    expect([statuses.indexOf(403), statuses.filter((status) => status === 200).length]).toEqual([900, 900]);
    expect((await read('ghp_b')).status).toBe(200);
  });

  test('allow 100 requests at a time', async () => {
    github.fault({ path: /runners/ }, { delayMs: 300 });
    const statuses = await Promise.all(Array.from({ length: 101 }, async () => (await read('ghp_a')).status));
    expect(statuses.filter((status) => status === 403)).toHaveLength(1);
    expect(github.requests.at(-1)?.refusedBy).toBe('secondary limit');
    github.clearFaults();
    expect((await read('ghp_a')).status).toBe(200);
  });

  test('are off unless they are asked for', async () => {
    github.enforceSecondaryLimits = false;
    const statuses = await inTurns(181, async () => (await ask(github.url, '/orgs/acme/actions/runners/99', { token: 'ghp_a', method: 'DELETE' })).status);
    expect(new Set(statuses)).toEqual(new Set([404]));
  });
});

async function inTurns<T>(times: number, what: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let turn = 0; turn < times; turn++) results.push(await what());
  return results;
}
