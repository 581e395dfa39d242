import { LimitError, PermissionError, TransientError } from '../../lambda-src/shared/errors';
import { group, Harness } from '../lambda-src/github/harness';

/** Apps that disagree, change in mid-batch, or see something else: the adapter over sockets. */

let harness: Harness;
let ghosts: number;

beforeEach(async () => {
  harness = await Harness.start();
  ghosts = harness.github.addGroup('acme', { name: 'ghosts' });
});
afterEach(() => harness.github.stop());

const session = () => harness.connect().session(harness.deadline(120), { sticky: true });
const addGhost = () => harness.github.addRunner('acme', ghosts, { name: 'p_i-0123abcd' }).id;

describe('nothing waits between the last read and the DELETE', () => {
  test.each(['limit429', 'secondary403', { retryAfter: 5 }] as const)('a DELETE that meets %j ends at once: until the limit is over the runner may have come online', async (effect) => {
    harness.addApp(1);
    const id = addGhost();
    const github = await session();
    await github.readPage(group(ghosts), 1);
    expect(await github.find(group(ghosts), id)).toMatchObject({ status: 'offline' });
    harness.github.fault({ method: 'DELETE', times: 1 }, effect);
    harness.sleeps.length = 0;
    await expect(github.delete(group(ghosts), id)).rejects.toThrow(LimitError);
    expect(harness.sleeps).toEqual([]);
    expect(harness.github.runner('acme', id)).toBeDefined();
  });

  test('an App that is limited from the start makes way for another one at once, or for the next attempt', async () => {
    [1, 2].forEach((appId) => harness.addApp(appId));
    const id = addGhost();
    const github = await session();
    harness.github.fault({ app: 1 }, { retryAfter: 20 });
    harness.github.fault({ app: 2, method: 'DELETE', times: 1 }, { retryAfter: 20 });
    await github.readPage(group(ghosts), 1);
    harness.sleeps.length = 0;
    await expect(github.delete(group(ghosts), id)).rejects.toThrow(LimitError);
    expect(harness.sleeps).toEqual([]);
  });

  test('a read may wait, because it is judged after it was answered', async () => {
    harness.addApp(1);
    const id = addGhost();
    const github = await session();
    harness.github.fault({ method: 'GET', path: /runners\/\d+$/, times: 1 }, (fake) => { fake.updateRunner('acme', id, { status: 'online' }); });
    harness.github.fault({ method: 'GET', path: /runners\/\d+$/, times: 1 }, { retryAfter: 5 });
    expect(await github.find(group(ghosts), id)).toMatchObject({ status: 'online' });
  });
});

describe('a GET that is answered by another App than the page', () => {
  beforeEach(() => [1, 2].forEach((appId) => harness.addApp(appId)));
  const GET = { method: 'GET', path: /runners\/\d+$/ };

  test('shows the registration, if it shows one', async () => {
    const id = addGhost();
    const github = await session();
    harness.github.fault({ path: /runner-groups\/\d+\/runners$/, app: 2 }, { retryAfter: 3600 });
    await github.readPage(group(ghosts), 1);
    harness.github.fault({ ...GET, app: 1 }, 'permission403');
    harness.github.fault({ path: /runner-groups/, app: 2 }, 'permission403');
    expect(await github.find(group(ghosts), id)).toMatchObject({ id, status: 'offline' });
  });

  test('proves nothing by a 404, also when both answer it', async () => {
    const id = addGhost();
    const github = await session();
    await github.readPage(group(ghosts), 1);
    const reader = harness.github.requests.find(({ path }) => path.includes('runner-groups'))!.appId!;
    harness.github.fault({ ...GET, app: reader }, { retryAfter: 3600 });
    harness.github.fault(GET, { status: 404 });
    expect(await github.find(group(ghosts), id)).toBe('unproven');
    expect(await github.find(group(ghosts), id)).toBe('unproven');
  });
});

test('an installation in another organization, whose group has the same id, reads neither', async () => {
  harness.github.addOrganization('other');
  const same = harness.github.addGroup('other', { id: ghosts, name: 'ghosts' });
  harness.github.addRunner('other', same, { name: 'p_i-0123abcd' });
  const installationId = harness.addApp(1, { owner: 'other' });
  harness.secrets.set('arn:app1', JSON.stringify({ ...JSON.parse(harness.secrets.get('arn:app1')!), installationId }));
  await expect((await session()).readPage(group(ghosts), 1)).rejects.toThrow(PermissionError);
  expect(harness.github.requests.filter(({ path }) => path.includes('other'))).toEqual([]);
});

describe('an answer that is none', () => {
  test.each([
    ['304', { status: 304 }],
    ['204 to a question', { status: 204 }],
    ['an id as text', { status: 200, body: { id: '7', name: 'p_i-0123abcd', os: 'linux', status: 'offline', busy: false, labels: [] } }],
    ['busy as text', { status: 200, body: { id: 7, name: 'p_i-0123abcd', os: 'linux', status: 'offline', busy: 'true', labels: [] } }],
    ['busy left out', { status: 200, body: { id: 7, name: 'p_i-0123abcd', os: 'linux', status: 'offline', labels: [] } }],
    ['busy only in a prototype', { status: 200, body: JSON.parse('{"id":7,"name":"p_i-0123abcd","status":"offline","labels":[],"__proto__":{"busy":false}}') }],
  ] as const)('%s is an error, and no idle runner', async (_, effect) => {
    harness.addApp(1);
    const github = await session();
    harness.github.fault({ method: 'GET', path: /runners\/\d+$/ }, effect);
    await expect(github.find(group(ghosts), 7)).rejects.toThrow(TransientError);
  });
});

test('a redirect that leads to another registration is no answer, and a DELETE that would become another request is not repeated', async () => {
  harness.addApp(1);
  const id = addGhost();
  const github = await session();
  const moved = { status: 301, headers: { location: `${harness.github.url}/orgs/acme/actions/runners/${id}` } };
  harness.github.fault({ path: /runners\/999$/ }, moved);
  await expect(github.find(group(ghosts), 999)).rejects.toThrow(`answered with the registration ${id}`);
  await expect(github.delete(group(ghosts), 999)).rejects.toThrow('unexpected answer 301');
  expect(harness.github.deletions).toEqual([]);
});
