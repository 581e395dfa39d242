import { group, Harness } from './harness';
import { LimitError, NoCredentialError, NotFoundError, PermissionError, QuotaReserveError, TransientError } from '../../../lambda-src/shared/errors';

const DEFAULT_GROUP = group(1);
const PAGES = /runner-groups\/1\/runners/;
const RESET_MS = 3_600_000;

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.start();
});
afterEach(() => harness.github.stop());

/** which Apps asked for pages, in order */
const askers = () => harness.github.requests.filter(({ path }) => PAGES.test(path)).map(({ appId }) => appId);

async function readPages(github: ReturnType<Harness['connect']>, count: number, options = {}, seconds = 300) {
  const session = await github.session(harness.deadline(seconds), options);
  for (let page = 1; page <= count; page++) await session.readPage(DEFAULT_GROUP, page);
  return session;
}

test('the App with most quota left is asked, and an App that nothing is known of counts as full', async () => {
  const [one, two, three] = [1, 2, 3].map((appId) => harness.addApp(appId)) as [number, number, number];
  harness.github.setRemaining(one, 3000);
  harness.github.setRemaining(two, 4000);
  harness.github.setRemaining(three, 3500);
  await readPages(harness.connect(), 6);
  expect(askers()).toEqual([1, 2, 3, 2, 2, 2]);
});

test('in a confirmation one App does it all', async () => {
  [1, 2, 3].forEach((appId) => harness.addApp(appId));
  await readPages(harness.connect(), 5, { sticky: true });
  expect(new Set(askers()).size).toBe(1);
});

test('in a confirmation one App does it all, also what is asked for at once', async () => {
  [1, 2, 3].forEach((appId) => harness.addApp(appId));
  const github = harness.connect();
  const atOnce = async () => {
    const session = await github.session(harness.deadline(), { sticky: true });
    await Promise.all(Array.from({ length: 10 }, (_, index) => session.readPage(DEFAULT_GROUP, index + 1)));
  };
  // the fourth time all of them have about as much left
  for (let confirmation = 1; confirmation <= 4; confirmation++) await atOnce();
  expect([0, 10, 20, 30].map((start) => new Set(askers().slice(start, start + 10)).size)).toEqual([1, 1, 1, 1]);
});

test('the next confirmation begins with the App that has most left', async () => {
  const one = harness.addApp(1);
  harness.addApp(2);
  harness.github.setRemaining(one, 2000);
  const github = harness.connect();
  await readPages(github, 2, { sticky: true });
  await readPages(github, 2, { sticky: true });
  expect(askers()).toEqual([1, 1, 2, 2]);
});

test.each(['limit403', 'limit429', 'secondary403'] as const)('case 18: %s on page 3: another App serves that very page, without waiting', async (effect) => {
  harness.addApp(1);
  harness.addApp(2);
  harness.github.fault({ path: PAGES, app: 1, skip: 2 }, effect);
  const session = await readPages(harness.connect(), 5, { sticky: true });
  expect(askers()).toEqual([1, 1, 1, 2, 2, 2]);
  expect(harness.github.requests.filter(({ path }) => PAGES.test(path)).map(({ query }) => query.page)).toEqual(['1', '2', '3', '3', '4', '5']);
  expect(harness.sleeps).toEqual([]);
  expect(session.trouble).toMatchObject([{ credential: 'app 1', reason: 'limit' }]);
});

test('case 18: an exhausted App is back after its reset', async () => {
  const one = harness.addApp(1, { limit: 100 });
  const two = harness.addApp(2, { limit: 100 });
  harness.github.setRemaining(one, 2);
  const github = harness.connect({ quotaReserve: 0 });
  await readPages(github, 4, { sticky: true });
  expect(askers()).toEqual([1, 1, 2, 2]);
  harness.time += RESET_MS;
  harness.github.setRemaining(two, 10);
  await readPages(github, 3);
  expect(askers().slice(4)).toContain(1);
});

test('a limit that ends in time is waited for', async () => {
  harness.addApp(1);
  harness.github.fault({ path: PAGES, times: 1 }, { retryAfter: 20 });
  await readPages(harness.connect(), 1);
  expect(harness.sleeps).toEqual([20_000]);
});

test('case 20: a limit that outlasts the invocation ends it at once', async () => {
  harness.addApp(1);
  harness.github.fault({ path: PAGES }, { retryAfter: 3600 });
  const github = harness.connect();
  await expect(readPages(github, 1, {}, 200)).rejects.toThrow(LimitError);
  await expect(readPages(github, 1, {}, 200)).rejects.toThrow(LimitError);
  expect(harness.sleeps).toEqual([]);
  expect(askers()).toEqual([1]);
});

test.each([{ retryAfter: 99_999_999_999_999 }, { status: 429, headers: { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '999999999999999' } }])(
  'one answer that asks for thousands of years ends the invocation as a limit, and the App is back an hour later: %j', async (effect) => {
    harness.addApp(1);
    harness.github.fault({ path: PAGES, times: 1 }, effect);
    const github = harness.connect();
    await expect(readPages(github, 1)).rejects.toThrow(LimitError);
    harness.time += 3_599_000 - 300_000;
    await expect(readPages(github, 1, {}, 200)).rejects.toThrow(LimitError);
    harness.time += 301_000;
    await readPages(github, 2);
  },
);

test('with two Apps the shorter wait counts', async () => {
  harness.addApp(1);
  harness.addApp(2);
  harness.github.fault({ path: PAGES, app: 1 }, { retryAfter: 3600 });
  harness.github.fault({ path: PAGES, app: 2, times: 1 }, { retryAfter: 30 });
  await readPages(harness.connect(), 1);
  expect(harness.sleeps).toEqual([30_000]);
  expect(askers()).toEqual([1, 2, 2]);
});

test('a secondary limit without retry-after pauses a minute, and longer the longer it goes on', async () => {
  harness.addApp(1);
  const fault = harness.github.fault({ path: PAGES }, 'secondary403');
  const github = harness.connect();
  await expect(readPages(github, 1, {}, 900)).rejects.toThrow(LimitError);
  expect(harness.sleeps).toEqual([60_000]);
  fault.clear();
  await readPages(github, 1, {}, 900);
  expect(harness.sleeps).toEqual([60_000, 120_000]);
  harness.github.fault({ path: PAGES, times: 1 }, 'secondary403');
  await readPages(github, 1, {}, 900);
  expect(harness.sleeps).toEqual([60_000, 120_000, 60_000]);
});

test('a secondary limit that meets many requests at once is one limit, with one pause', async () => {
  harness.addApp(1);
  harness.answerUntil(harness.time + 60_000, PAGES, 403, 'You have exceeded a secondary rate limit');
  const session = await harness.connect().session(harness.deadline(900));
  await Promise.all(Array.from({ length: 10 }, (_, index) => session.readPage(DEFAULT_GROUP, index + 1)));
  expect(Math.max(...harness.sleeps)).toBe(60_000);
});

test('a server that says "at once" and limits again is not stormed', async () => {
  harness.addApp(1);
  harness.github.fault({ path: PAGES }, { retryAfter: 0 });
  await expect(readPages(harness.connect(), 1)).rejects.toThrow(LimitError);
  expect(askers()).toHaveLength(2);
  expect(harness.sleeps).toEqual([1000]);
});

test('case 26: quota below the reserve ends the reading without touching the reserve, and says so', async () => {
  const installation = harness.addApp(1);
  harness.github.setRemaining(installation, 1010);
  const github = harness.connect();
  const session = await github.session(harness.deadline());
  const reading = async () => {
    for (let page = 1; ; page++) await session.readPage(DEFAULT_GROUP, page);
  };
  await expect(reading()).rejects.toThrow(QuotaReserveError);
  expect(harness.github.remaining(installation)).toBeGreaterThanOrEqual(1000);
  expect(session.trouble).toMatchObject([{ credential: 'app 1', reason: 'reserve' }]);
  await expect(readPages(github, 1)).rejects.toThrow(QuotaReserveError);
  harness.time += RESET_MS;
  await readPages(github, 1);
});

test('what is left of the quota is learned from refused answers as well', async () => {
  const installation = harness.addApp(1);
  const session = await harness.connect().session(harness.deadline());
  harness.github.setRemaining(installation, 1001);
  expect(await session.find(DEFAULT_GROUP, 999)).toBe('unproven');
  await expect(session.readPage(DEFAULT_GROUP, 1)).rejects.toThrow(QuotaReserveError);
});

test('requests in parallel are shared out by what is left when those under way are counted', async () => {
  const [one, two] = [1, 2].map((appId) => harness.addApp(appId)) as [number, number];
  harness.github.setRemaining(one, 3010);
  harness.github.setRemaining(two, 3005);
  const session = await harness.connect().session(harness.deadline());
  for (let page = 1; page <= 2; page++) await session.readPage(DEFAULT_GROUP, page);
  await Promise.all(Array.from({ length: 20 }, (_, index) => session.readPage(DEFAULT_GROUP, index + 1)));
  const shared = askers().slice(2);
  expect(shared.filter((appId) => appId === 2).length).toBeGreaterThanOrEqual(7);
  expect(shared.filter((appId) => appId === 1).length).toBeGreaterThanOrEqual(12);
});

test('one App that could not be heard leaves open what another one has refused before', async () => {
  [1, 2].forEach((appId) => harness.addApp(appId));
  harness.github.fault({ path: PAGES, app: 1 }, 'permission403');
  harness.github.fault({ path: /access_tokens$/, app: 2 }, { status: 502 });
  await expect(readPages(harness.connect(), 1)).rejects.toThrow(TransientError);
});

test('requests in parallel leave the reserve alone as well', async () => {
  const installation = harness.addApp(1);
  const session = await harness.connect().session(harness.deadline());
  harness.github.setRemaining(installation, 1020);
  await session.listGroups();
  const pages = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => session.readPage(DEFAULT_GROUP, index + 1)));
  expect(pages.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(15);
  expect(harness.github.remaining(installation)).toBeGreaterThanOrEqual(1000);
});

test('at its reserve, an App hands over to another one', async () => {
  const one = harness.addApp(1);
  harness.addApp(2);
  harness.github.setRemaining(one, 1004);
  await readPages(harness.connect(), 3, { sticky: true });
  expect(askers()).toEqual([1, 2, 2]);
});

test('case 25: a server without rate-limit headers has an unknown quota, and works', async () => {
  harness.addApp(1);
  harness.addApp(2);
  harness.github.quotaEnabled = false;
  const session = await readPages(harness.connect(), 20);
  expect(session.quotas).toEqual({ 'app 1': undefined, 'app 2': undefined });
  expect(session.trouble).toEqual([]);
});

describe('a broken App never blocks the others', () => {
  test.each<[string, (broken: Harness) => unknown]>([
    ['it is suspended', ({ github }) => github.suspendApp(1)],
    ['its key is not the one GitHub knows', ({ github }) => github.rotateKey(1)],
    ['it is not installed', ({ github }) => github.uninstall(50_000)],
    ['its secret cannot be used', ({ secrets }) => secrets.set('arn:app1', '{}')],
    ['its secret cannot be read', ({ secrets }) => secrets.delete('arn:app1')],
    ['its token exchange answers 404 for ever', ({ github }) => github.fault({ path: /access_tokens$/, app: 1 }, { status: 404 })],
    ['its token exchange answers 502', ({ github }) => github.fault({ path: /access_tokens$/, app: 1 }, { status: 502 })],
    ['its token exchange is limited', ({ github }) => github.fault({ path: /access_tokens$/, app: 1 }, { retryAfter: 3600 })],
    ['its tokens are refused', ({ github }) => github.fault({ path: PAGES, app: 1 }, { status: 401 })],
    ['it may not read runners', ({ github }) => github.fault({ path: PAGES, app: 1 }, 'permission403')],
  ])('%s', async (_, breakIt) => {
    harness.addApp(1);
    harness.addApp(2);
    const credentials = { kind: 'apps', secrets: ['arn:app1', 'arn:app2'] } as const;
    breakIt(harness);
    const session = await readPages(harness.connect({ credentials }), 3);
    expect(askers().slice(-3)).toEqual([2, 2, 2]);
    expect(session.trouble).toHaveLength(1);
    expect(harness.logged.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });
});

test('an App in trouble is left alone for a minute, then tried again', async () => {
  harness.addApp(1);
  harness.addApp(2);
  harness.github.suspendApp(1);
  const github = harness.connect();
  await readPages(github, 1);
  const exchanges = () => harness.github.count({ method: 'POST', app: 1 });
  const before = exchanges();
  harness.time += 50_000;
  await readPages(github, 1);
  expect(exchanges()).toBe(before);
  harness.github.suspendApp(1, false);
  harness.time += 11_000;
  await readPages(github, 2);
  expect(askers().slice(-2)).toContain(1);
});

test('an App whose token exchange stumbles is asked last for a minute', async () => {
  harness.addApp(1);
  harness.addApp(2);
  harness.github.fault({ path: /access_tokens$/, app: 1 }, { status: 502 });
  await readPages(harness.connect(), 5);
  expect(harness.github.count({ method: 'POST', app: 1 })).toBe(1);
});

test('case 19: when no App is left, the error tells what is wrong with each', async () => {
  harness.addApp(1);
  harness.addApp(2);
  harness.github.suspendApp(1);
  harness.secrets.set('arn:app2', '{}');
  const reading = readPages(harness.connect(), 1);
  await expect(reading).rejects.toThrow(NoCredentialError);
  await expect(reading).rejects.toThrow(/app 1.*suspended.*arn:app2: appId must be/s);
});

test('without any credential the error says so', async () => {
  await expect(readPages(harness.connect({ credentials: { kind: 'apps', secrets: [] } }), 1)).rejects.toThrow(/none is configured/);
});

test('permission is missing only when every App lacks it', async () => {
  harness.addApp(1);
  harness.addApp(2);
  harness.github.fault({ path: PAGES }, 'permission403');
  const session = await harness.connect().session(harness.deadline());
  await expect(session.readPage(DEFAULT_GROUP, 1)).rejects.toThrow(PermissionError);
  expect(new Set(askers())).toEqual(new Set([1, 2]));
  expect(session.trouble.map(({ credential, reason }) => [credential, reason])).toEqual([['app 1', 'permission'], ['app 2', 'permission']]);
});

test('a transient error of the request itself is handed up at once: whether to repeat it is not decided here', async () => {
  harness.addApp(1);
  harness.addApp(2);
  harness.github.fault({ path: PAGES }, { status: 502 });
  await expect(readPages(harness.connect(), 1)).rejects.toThrow(TransientError);
  expect(askers()).toEqual([1]);
});

test('one App that could not be heard leaves it open what the other one says', async () => {
  harness.github.addRepository('acme/tools');
  harness.addApp(1);
  harness.addApp(2);
  harness.github.fault({ path: /access_tokens$/, app: 1 }, { status: 502 });
  harness.github.fault({ path: /tools/, app: 2 }, { status: 404 });
  const session = await harness.connect({ scope: { kind: 'repositories', owner: 'acme', repositories: ['tools'] } }).session(harness.deadline());
  const page = session.readPage({ key: 'acme/tools', name: 'tools' }, 1);
  await expect(page).rejects.toThrow(TransientError);
  await expect(page).rejects.not.toThrow(NotFoundError);
});

describe('the host', () => {
  const cdk = (fields: object) => JSON.stringify({ domain: 'github.com', appId: '', personalAuthToken: 'ghp_x', ...fields });
  const credentials = { kind: 'cdkGithubRunners', secret: 'arn:github', privateKey: 'arn:key' } as const;

  test('is the one that the secret of cdk-github-runners names', async () => {
    harness.github.addToken('ghp_x');
    harness.secrets.set('arn:github', cdk({ domain: harness.github.url }));
    const session = await harness.connect({ credentials, githubUrl: undefined }).session(harness.deadline());
    expect(session.apiUrl).toBe(`${harness.github.url}/api/v3`);
    expect(await session.listGroups()).toHaveLength(1);
  });

  test('must not be another one than the credentials were issued by', async () => {
    harness.secrets.set('arn:github', cdk({ domain: 'ghe.example' }));
    await expect(harness.connect({ credentials }).session(harness.deadline())).rejects.toThrow(/issued by 'https:\/\/ghe.example'/);
  });

  test('is not guessed when the secret that names it cannot be read', async () => {
    await expect(harness.connect({ credentials, githubUrl: undefined }).session(harness.deadline())).rejects.toThrow(/host of GitHub is not known/);
  });

  test('stays the same during an invocation, whatever a credential that is read again says', async () => {
    harness.github.addToken('ghp_x');
    harness.secrets.set('arn:github', cdk({ domain: harness.github.url }));
    const session = await harness.connect({ credentials, githubUrl: undefined }).session(harness.deadline());
    harness.github.removeToken('ghp_x');
    harness.secrets.set('arn:github', cdk({ domain: 'ghe.example', personalAuthToken: 'ghp_of_another_host' }));
    await expect(session.listGroups()).rejects.toThrow(NoCredentialError);
    expect(harness.github.requests.map(({ token }) => token)).toEqual(['ghp_x']);
  });

  test('is github.com when nobody says otherwise', async () => {
    expect((await harness.connect({ githubUrl: undefined }).session(harness.deadline())).apiUrl).toBe('https://api.github.com');
  });
});
