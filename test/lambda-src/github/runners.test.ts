import { ACME, group, Harness, remove } from './harness';
import { DeadlineError, JanitorError, LimitError, NotFoundError, PermissionError, TransientError } from '../../../lambda-src/shared/errors';

let harness: Harness;
let ghosts: number;

beforeEach(async () => {
  harness = await Harness.start();
  ghosts = harness.github.addGroup('acme', { name: 'ghosts' });
});
afterEach(() => harness.github.stop());

const open = async (config = {}, options = {}) => harness.connect(config).session(harness.deadline(), options);
const withApp = async (config = {}, options = {}) => {
  harness.addApp(1);
  return open(config, options);
};
const addRunners = (count: number) => Array.from({ length: count }, (_, index) => harness.github.addRunner('acme', ghosts, { name: `p_i-${index}` }));

describe('groups', () => {
  const select = (names: readonly string[], ids: readonly number[] = []) => ({ scope: { ...ACME, groups: { names, ids } } });

  test('all of the organization, one request for each hundred', async () => {
    for (let count = 0; count < 248; count++) harness.github.addGroup('acme', { name: `group ${count}` });
    const groups = await (await withApp()).listGroups();
    expect(groups).toHaveLength(250);
    expect(harness.github.count({ path: '/orgs/acme/actions/runner-groups' })).toBe(3);
  });

  test('exactly the named ones, by name or id, each once', async () => {
    const seventh = harness.github.addGroup('acme', { name: 'seventh' });
    const session = await withApp(select(['ghosts', 'seventh'], [seventh]));
    expect(await session.listGroups()).toEqual([group(ghosts, 'ghosts'), group(seventh, 'seventh')]);
  });

  test('those inherited from the enterprise only when they are named', async () => {
    const inherited = harness.github.addGroup('acme', { name: 'shared', inherited: true });
    harness.addApp(1);
    expect((await (await open()).listGroups()).map(({ name }) => name)).toEqual(['Default', 'ghosts']);
    expect(await (await open(select(['shared']))).listGroups()).toEqual([group(inherited, 'shared')]);
    expect(await (await open(select([], [inherited]))).listGroups()).toEqual([group(inherited, 'shared')]);
  });

  test('one that does not exist is reported and skipped', async () => {
    const session = await withApp(select(['ghosts', 'Ghosts'], [777]));
    expect(await session.listGroups()).toEqual([group(ghosts, 'ghosts')]);
    const errors = harness.logged.filter(({ level }) => level === 'error').map(({ message }) => message);
    expect(errors).toEqual([
      "there is no runner group 'Ghosts' in acme; it is skipped",
      'there is no runner group with id 777 in acme; it is skipped',
    ]);
    expect(session.missingGroups).toEqual(["'Ghosts'", 'with id 777']);
  });

  test('an empty page that announces another one is the last', async () => {
    const link = `<${harness.github.url}/organizations/1000/actions/runner-groups?page=2>; rel="next"`;
    harness.github.fault({ path: /runner-groups$/ }, { status: 200, body: { total_count: 0, runner_groups: [] }, headers: { link } });
    expect(await (await withApp()).listGroups()).toEqual([]);
    expect(harness.github.count({ path: /runner-groups$/ })).toBe(1);
  });

  test('a list that no App may read is a missing permission', async () => {
    harness.github.fault({ path: /runner-groups$/ }, 'permission403');
    await expect((await withApp()).listGroups()).rejects.toThrow(PermissionError);
  });

  test('an organization that nobody knows is a missing permission too', async () => {
    harness.github.addToken('ghp_x');
    harness.secrets.set('arn:token', 'ghp_x');
    const session = await open({ scope: { kind: 'organization', owner: 'nobody' }, credentials: { kind: 'token', secret: 'arn:token' } });
    await expect(session.listGroups()).rejects.toThrow(PermissionError);
  });
});

describe('pages', () => {
  test('each costs one request and says whether another one follows', async () => {
    addRunners(237);
    const session = await withApp();
    const pages = [await session.readPage(group(ghosts), 1), await session.readPage(group(ghosts), 2), await session.readPage(group(ghosts), 3)];
    expect(pages.map(({ registrations, totalCount, hasNext }) => [registrations.length, totalCount, hasNext]))
      .toEqual([[100, 237, true], [100, 237, true], [37, 237, false]]);
    expect(harness.github.count({ path: /runners$/ })).toBe(3);
  });

  test('case 12: a short page in the middle is not the last one', async () => {
    addRunners(237);
    harness.github.shapePages('acme', ghosts, [100, 37, 100]);
    const session = await withApp();
    const seen = new Set<number>();
    for (let page = 1, more = true; more; page++) {
      const { registrations, hasNext } = await session.readPage(group(ghosts), page);
      for (const { id } of registrations) seen.add(id);
      more = hasNext;
    }
    expect(seen.size).toBe(237);
  });

  test('a registration says where it is, how it is and what it is called', async () => {
    const { id } = harness.github.addRunner('acme', ghosts, { name: 'p_i-1', status: 'online', busy: true, labels: ['self-hosted', 'keep'] });
    const { registrations } = await (await withApp()).readPage(group(ghosts), 1);
    expect(registrations).toEqual([{ id, name: 'p_i-1', status: 'online', busy: true, labels: ['self-hosted', 'keep'], groupKey: String(ghosts) }]);
  });

  test('a next page at another origin is an error, and nothing is sent there', async () => {
    addRunners(1);
    harness.github.fault({ path: /runners$/ }, { headers: { link: '<https://evil.example/x?page=2>; rel="next"' } });
    await expect((await withApp()).readPage(group(ghosts), 1)).rejects.toThrow(/evil\.example/);
  });

  test.each(['cutBody', 'emptyBody', 'html', 'wrongShape', 'wrongTypes', 'reset'] as const)('%s is an error, not an empty page', async (effect) => {
    addRunners(1);
    harness.github.fault({ path: /runners$/ }, effect);
    await expect((await withApp()).readPage(group(ghosts), 1)).rejects.toThrow(TransientError);
    expect(harness.github.count({ path: /runners$/ })).toBe(1);
  });

  test('no answer in time is an error', async () => {
    harness.addApp(1);
    harness.github.fault({ path: /runners$/ }, 'hang');
    const session = await harness.connect().session(harness.impatient());
    await expect(session.readPage(group(ghosts), 1)).rejects.toThrow(TransientError);
  });

  test('nothing is asked in the last ten seconds', async () => {
    harness.addApp(1);
    const github = harness.connect();
    const session = await github.session(harness.deadline(12));
    await session.readPage(group(ghosts), 1);
    harness.time += 3_000;
    const before = harness.github.requests.length;
    const place = group(ghosts);
    const tooLate = [session.listGroups(), session.readPage(place, 1), session.find(place, 1), session.findByName('x'), session.delete(place, 1)];
    for (const call of tooLate) await expect(call).rejects.toThrow(DeadlineError);
    expect(harness.github.requests).toHaveLength(before);
  });

  test('a group that is gone while the list of groups can be read is skipped, not the whole scope', async () => {
    const session = await withApp();
    await session.listGroups();
    await expect(session.readPage(group(777), 1)).rejects.toThrow(NotFoundError);
    expect(await session.readPage(group(ghosts), 1)).toMatchObject({ totalCount: 0 });
    expect(harness.github.count({ path: '/orgs/acme/actions/runner-groups' })).toBe(1);
  });

  test('whether the list can be read is asked only when it is not known yet', async () => {
    const session = await withApp();
    await expect(session.readPage(group(777), 1)).rejects.toThrow(NotFoundError);
    await expect(session.readPage(group(778), 1)).rejects.toThrow(NotFoundError);
    expect(harness.github.count({ path: '/orgs/acme/actions/runner-groups' })).toBe(1);
  });

  test('a 404 for an App that cannot see groups at all is a missing permission', async () => {
    harness.addApp(1);
    harness.addApp(2);
    harness.github.fault({ path: /runner-groups/, app: 1 }, { status: 404 });
    const session = await open();
    expect(await session.readPage(group(ghosts), 1)).toMatchObject({ totalCount: 0 });
    harness.github.fault({ path: /runner-groups/, app: 2 }, { status: 404 });
    await expect(session.readPage(group(ghosts), 1)).rejects.toThrow(PermissionError);
  });
});

describe('a group that answers 403', () => {
  let locked: number;
  beforeEach(() => {
    locked = harness.github.addGroup('acme', { name: 'locked' });
  });
  const lock = (app?: number) => harness.github.fault({ path: new RegExp(`runner-groups/${locked}/runners`), ...(app !== undefined && { app }) }, 'permission403');

  test('is a missing permission for itself alone: an App that can read the list of groups goes on with the others', async () => {
    lock();
    const session = await withApp();
    await expect(session.readPage(group(locked), 1)).rejects.toThrow(PermissionError);
    expect(await session.readPage(group(ghosts), 1)).toMatchObject({ totalCount: 0 });
    expect(session.trouble).toMatchObject([{ credential: 'app 1', reason: 'permission' }]);
  });

  test('makes each App prove only once that it can read the list of groups', async () => {
    [1, 2].forEach((appId) => harness.addApp(appId));
    lock();
    const session = await open();
    for (let count = 1; count <= 3; count++) await expect(session.readPage(group(locked), 1)).rejects.toThrow(PermissionError);
    expect(harness.github.count({ path: /runner-groups$/ })).toBe(2);
  });

  test('to one App is read by another, which is asked first from then on', async () => {
    [1, 2].forEach((appId) => harness.addApp(appId));
    lock(1);
    const session = await open();
    for (let page = 1; page <= 3; page++) expect(await session.readPage(group(locked), page)).toMatchObject({ totalCount: 0 });
    harness.time += 11_000;
    const before = harness.github.count({ path: /runners$/, app: 1 });
    expect(await session.readPage(group(locked), 1)).toMatchObject({ totalCount: 0 });
    expect(harness.github.count({ path: /runners$/, app: 1 })).toBe(before);
  });

  test('to an App that cannot read the list of groups either puts that App out', async () => {
    harness.addApp(1);
    harness.github.fault({ path: /runner-groups/ }, 'permission403');
    const session = await open();
    await expect(session.readPage(group(locked), 1)).rejects.toThrow(PermissionError);
    const before = harness.github.requests.length;
    await expect(session.readPage(group(ghosts), 1)).rejects.toThrow(PermissionError);
    expect(harness.github.requests).toHaveLength(before);
  });
});

describe('one registration', () => {
  test('is found with one request', async () => {
    const { id } = harness.github.addRunner('acme', ghosts, { name: 'p_i-1' });
    const session = await withApp();
    expect(await session.find(group(ghosts), id)).toMatchObject({ id, name: 'p_i-1', busy: false, groupKey: String(ghosts) });
    expect(harness.github.count({ path: /runners\/\d+$/ })).toBe(1);
  });

  test('says that it has moved to another group', async () => {
    const { id } = harness.github.addRunner('acme', 1, { name: 'p_i-1' });
    expect(await (await withApp()).find(group(ghosts), id)).toMatchObject({ groupKey: '1' });
  });

  test('of an older server does not say where it is, except on the page of its group', async () => {
    const { id } = harness.github.addRunner('acme', ghosts, { name: 'p_i-1' });
    harness.github.settings.olderServer = true;
    const session = await withApp();
    expect(await session.find(group(ghosts), id)).toMatchObject({ id, groupKey: undefined });
    expect((await session.readPage(group(ghosts), 1)).registrations).toMatchObject([{ id, groupKey: String(ghosts) }]);
  });

  test('is gone only for an App that has read its group in this invocation', async () => {
    harness.addApp(1);
    const github = harness.connect();
    const session = await github.session(harness.deadline(), { sticky: true });
    expect(await session.find(group(ghosts), 777)).toBe('unproven');
    await session.readPage(group(1), 1);
    expect(await session.find(group(ghosts), 777)).toBe('unproven');
    await session.readPage(group(ghosts), 1);
    expect(await session.find(group(ghosts), 777)).toBe('gone');
    expect(await (await github.session(harness.deadline(), { sticky: true })).find(group(ghosts), 777)).toBe('unproven');
  });

  test('is asked for by the App that has read its group, and nobody else proves that it is gone', async () => {
    [1, 2].forEach((appId) => harness.addApp(appId));
    const session = await open();
    await session.readPage(group(ghosts), 1);
    expect(await session.find(group(ghosts), 777)).toBe('gone');
    harness.github.fault({ path: /runners\/777/, app: 1 }, { retryAfter: 3600 });
    expect(await session.find(group(ghosts), 777)).toBe('unproven');
  });

  test('a damaged page of its group proves nothing', async () => {
    const session = await withApp();
    harness.github.fault({ path: /runner-groups\/\d+\/runners/, times: 1 }, 'wrongShape');
    await expect(session.readPage(group(ghosts), 1)).rejects.toThrow(TransientError);
    expect(await session.find(group(ghosts), 777)).toBe('unproven');
  });

  test('another registration than the one asked for is an error', async () => {
    const { id } = harness.github.addRunner('acme', ghosts, { name: 'p_i-1' });
    harness.github.fault({ path: /runners\/777$/ }, { status: 200, body: harness.github.runner('acme', id) });
    await expect((await withApp()).find(group(ghosts), 777)).rejects.toThrow(/answered with the registration/);
  });

  test.each([
    ['permission403', PermissionError], ['emptyBody', TransientError], ['html', TransientError], ['cutBody', TransientError],
    ['wrongTypes', TransientError], [{ status: 422 }, TransientError], [{ status: 409 }, TransientError], [{ status: 500 }, TransientError],
  ] as const)('%p on it is no statement about it', async (effect, error) => {
    const { id } = harness.github.addRunner('acme', ghosts, { name: 'p_i-1' });
    const session = await withApp();
    await session.readPage(group(ghosts), 1);
    harness.github.fault({ path: /runners\/\d+$/ }, effect);
    await expect(session.find(group(ghosts), id)).rejects.toThrow(error);
  });
});

describe('by name', () => {
  test('exactly that name, in any group, with one request', async () => {
    const { id } = harness.github.addRunner('acme', ghosts, { name: 'p_i-1' });
    harness.github.addRunner('acme', 1, { name: 'p_i-10' });
    const session = await withApp();
    expect(await session.findByName('p_i-1')).toMatchObject([{ id, groupKey: String(ghosts) }]);
    expect(await session.findByName('p_i-2')).toEqual([]);
    expect(harness.github.count({ path: '/orgs/acme/actions/runners' })).toBe(2);
  });

  test('also where the server ignores the filter', async () => {
    const [one] = addRunners(3);
    harness.github.settings.olderServer = true;
    expect(await (await withApp()).findByName(one!.name)).toMatchObject([{ id: one!.id }]);
  });

  test('on whatever page, where the server ignores the filter, and no further', async () => {
    const runners = addRunners(350);
    harness.github.settings.olderServer = true;
    const session = await withApp();
    expect(await session.findByName(runners[249]!.name)).toMatchObject([{ id: runners[249]!.id }]);
    expect(harness.github.count({ path: '/orgs/acme/actions/runners' })).toBe(3);
    expect(await session.findByName('p_i-none')).toEqual([]);
    expect(harness.github.count({ path: '/orgs/acme/actions/runners' })).toBe(7);
  });

  test('a server that ignores the filter and fails on a later page has not said that nobody has the name', async () => {
    addRunners(120);
    harness.github.settings.olderServer = true;
    const session = await withApp();
    harness.github.fault({ path: /actions\/runners$/, skip: 1 }, { status: 502 });
    await expect(session.findByName('p_i-110')).rejects.toThrow(TransientError);
  });

  test('a filtered answer that announces another page is not read on', async () => {
    addRunners(3);
    const session = await withApp();
    const link = `<${harness.github.url}/organizations/1000/actions/runners?page=2>; rel="next"`;
    harness.github.fault({ path: /actions\/runners$/ }, { headers: { link } });
    expect(await session.findByName('p_i-none')).toEqual([]);
    expect(harness.github.count({ path: /actions\/runners$/ })).toBe(1);
  });

  test('once in each repository', async () => {
    for (const name of ['one', 'two']) harness.github.addRepository(`acme/${name}`);
    const { id } = harness.github.addRepositoryRunner('acme/two', { name: 'p_i-1' });
    const session = await withApp({ scope: { kind: 'repositories', owner: 'acme', repositories: ['one', 'two'] } });
    expect(await session.findByName('p_i-1')).toMatchObject([{ id, groupKey: 'acme/two' }]);
    expect(harness.github.count({ path: /\/actions\/runners$/ })).toBe(2);
  });
});

describe('DELETE', () => {
  const deletes = () => harness.github.count({ method: 'DELETE' });

  test('204 is deleted, and nothing is read to check it', async () => {
    const { id } = harness.github.addRunner('acme', ghosts, { name: 'p_i-1' });
    const session = await withApp();
    expect(await remove(session, group(ghosts), id)).toBe('deleted');
    expect(harness.github.deletions).toEqual([id]);
    expect(harness.github.requests.at(-1)).toMatchObject({ method: 'DELETE', path: `/orgs/acme/actions/runners/${id}` });
  });

  test('case 9: 404 is already gone', async () => {
    const session = await withApp();
    await session.readPage(group(ghosts), 1);
    expect(await remove(session, group(ghosts), 777)).toBe('alreadyGone');
  });

  test('a 404 says nothing where the App has seen neither the group nor the registration', async () => {
    await expect(remove(await withApp(), group(ghosts), 777)).rejects.toThrow(TransientError);
  });

  test('a 404 is already gone for an App that has just seen the registration itself', async () => {
    const { id } = harness.github.addRunner('acme', ghosts, { name: 'p_i-1' });
    const session = await withApp();
    await session.find(group(ghosts), id);
    harness.github.fault({ method: 'DELETE' }, { status: 404 });
    expect(await remove(session, group(ghosts), id)).toBe('alreadyGone');
    await expect(remove(session, group(ghosts), id + 1)).rejects.toThrow(TransientError);
  });

  test('case 8: 422 is busy, whatever its text', async () => {
    const { id } = harness.github.addRunner('acme', ghosts, { name: 'p_i-1', busy: true });
    const session = await withApp();
    expect(await remove(session, group(ghosts), id)).toBe('becameBusy');
    harness.github.fault({ method: 'DELETE' }, { status: 422, body: { message: 'rate limit' } });
    expect(await remove(session, group(ghosts), id)).toBe('becameBusy');
  });

  test('a 200 deletes nothing', async () => {
    const session = await withApp();
    harness.github.fault({ method: 'DELETE' }, { status: 200, body: {} });
    await expect(remove(session, group(ghosts), 7)).rejects.toThrow(/unexpected answer 200/);
  });

  test('case 17: 502, 502, 204 is one success for whoever asks three times', async () => {
    const { id } = harness.github.addRunner('acme', ghosts, { name: 'p_i-1' });
    const session = await withApp();
    harness.github.fault({ method: 'DELETE', times: 2 }, { status: 502 });
    await expect(remove(session, group(ghosts), id)).rejects.toThrow(TransientError);
    await expect(remove(session, group(ghosts), id)).rejects.toThrow(TransientError);
    expect(await remove(session, group(ghosts), id)).toBe('deleted');
    expect(deletes()).toBe(3);
  });

  test('a 403 is refused only when every App is', async () => {
    [1, 2].forEach((appId) => harness.addApp(appId));
    harness.github.fault({ method: 'DELETE' }, 'permission403');
    expect(await remove(await open(), group(ghosts), 7)).toBe('refused');
    expect(new Set(harness.github.requests.filter(({ method }) => method === 'DELETE').map(({ appId }) => appId))).toEqual(new Set([1, 2]));
  });

  test('an App that may only read leaves deleting to another one, which then does it all', async () => {
    harness.addApp(1, { permissions: { organization_self_hosted_runners: 'read' } });
    harness.addApp(2);
    const runners = addRunners(3);
    const session = await open({}, { sticky: true });
    await session.readPage(group(ghosts), 1);
    harness.time += 11_000;
    for (const { id } of runners) expect(await remove(session, group(ghosts), id)).toBe('deleted');
    expect(deletes()).toBe(4);
  });

  test('a 403 of one App while another is limited is not refused yet', async () => {
    [1, 2].forEach((appId) => harness.addApp(appId));
    harness.github.fault({ method: 'DELETE', app: 1 }, 'permission403');
    harness.github.fault({ method: 'DELETE', app: 2 }, { retryAfter: 3600 });
    await expect(remove(await open(), group(ghosts), 7)).rejects.toThrow(/limited/);
  });

  test('that took effect although its answer was lost is an error now and already gone later', async () => {
    const { id } = harness.github.addRunner('acme', ghosts, { name: 'p_i-1' });
    const session = await withApp();
    await session.readPage(group(ghosts), 1);
    harness.github.fault({ method: 'DELETE', times: 1 }, 'resetAfter');
    await expect(remove(session, group(ghosts), id)).rejects.toThrow(TransientError);
    expect(await remove(session, group(ghosts), id)).toBe('alreadyGone');
  });
});

describe('repositories', () => {
  const scope = { kind: 'repositories', owner: 'acme', repositories: ['one', 'two'] } as const;
  const one = { key: 'acme/one', name: 'one' };
  const two = { key: 'acme/two', name: 'two' };
  beforeEach(() => ['acme/one', 'acme/two'].forEach((name) => harness.github.addRepository(name)));

  test('stand for groups, which costs no request', async () => {
    expect(await (await withApp({ scope })).listGroups()).toEqual([one, two]);
    expect(harness.github.requests).toEqual([]);
  });

  test('are read, asked and cleaned one by one', async () => {
    const { id } = harness.github.addRepositoryRunner('acme/two', { name: 'p_i-1' });
    const session = await withApp({ scope });
    expect((await session.readPage(two, 1)).registrations).toMatchObject([{ id, groupKey: 'acme/two' }]);
    expect(await session.find(two, id)).toMatchObject({ id, groupKey: 'acme/two' });
    expect(await session.delete(two, id)).toBe('deleted');
    expect(await session.find(two, id)).toBe('gone');
    expect(await session.find(one, id)).toBe('unproven');
  });

  describe('whose App cannot delete there, beside an App that cannot see it:', () => {
    let id: number;
    const setUp = async (permissions: Record<string, 'read' | 'write'>) => {
      [1, 2].forEach((appId) => harness.addApp(appId, { installed: false }));
      harness.github.install(1, { owner: 'acme', permissions });
      harness.github.install(2, { owner: 'acme', repositories: ['acme/two'] });
      ({ id } = harness.github.addRepositoryRunner('acme/one', { name: 'p_i-1' }));
      const session = await open({ scope }, { sticky: true });
      await session.readPage(one, 1);
      expect(await session.find(one, id)).toMatchObject({ id });
      return session;
    };

    test('it may only read: refused, and not already gone', async () => {
      const session = await setUp({ administration: 'read' });
      for (let count = 1; count <= 3; count++) expect(await remove(session, one, id)).toBe('refused');
    });

    test('it is limited: nobody knows', async () => {
      const session = await setUp({ administration: 'write' });
      harness.github.fault({ app: 1, method: 'DELETE' }, { retryAfter: 3600 });
      await expect(remove(session, one, id)).rejects.toThrow(LimitError);
      expect(harness.github.runner('acme/one', id)).toBeDefined();
    });

    test('its token is refused: nobody knows', async () => {
      const session = await setUp({ administration: 'write' });
      harness.github.fault({ app: 1, method: 'DELETE' }, { status: 401 });
      await expect(remove(session, one, id)).rejects.toThrow(JanitorError);
      await expect(remove(session, one, id)).rejects.toThrow(JanitorError);
      expect(harness.github.runner('acme/one', id)).toBeDefined();
    });
  });

  test('one that cannot be asked for a name does not hide what another one has', async () => {
    const { id } = harness.github.addRepositoryRunner('acme/two', { name: 'p_i-1' });
    const session = await withApp({ scope: { ...scope, repositories: ['removed', 'one', 'two'] } });
    harness.github.fault({ path: /acme\/one/ }, { status: 502 });
    expect(await session.findByName('p_i-1')).toMatchObject([{ id, groupKey: 'acme/two' }]);
    expect(harness.logged.map(({ level, fields }) => [level, fields?.runner])).toEqual([['warn', 'p_i-1']]);
    await expect(session.findByName('p_i-2')).rejects.toThrow(NotFoundError);
  });

  test('one that the App cannot see does not stop the others', async () => {
    harness.github.uninstall(harness.addApp(1));
    harness.github.install(1, { owner: 'acme', repositories: ['acme/two'] });
    const session = await open({ scope });
    await expect(session.readPage(one, 1)).rejects.toThrow(NotFoundError);
    expect(await session.readPage(two, 1)).toMatchObject({ totalCount: 0 });
  });
});

describe('an enterprise', () => {
  const scope = { kind: 'enterprise', owner: 'big' } as const;
  beforeEach(() => harness.github.addEnterprise('big'));

  test('is read and cleaned with a token', async () => {
    const groupId = harness.github.addGroup('big', { name: 'shared' });
    const { id } = harness.github.addRunner('big', groupId, { name: 'p_i-1' });
    harness.github.addToken('ghp_x');
    harness.secrets.set('arn:token', 'ghp_x');
    const session = await open({ scope, credentials: { kind: 'token', secret: 'arn:token' } });
    expect(await session.listGroups()).toContainEqual(group(groupId, 'shared'));
    expect((await session.readPage(group(groupId), 1)).registrations).toMatchObject([{ id }]);
    expect(await session.find(group(groupId), id)).toMatchObject({ id });
    expect(await session.findByName('p_i-1')).toMatchObject([{ id }]);
    expect(await session.delete(group(groupId), id)).toBe('deleted');
    expect(await session.find(group(groupId), id)).toBe('gone');
  });

  test('does not accept an App, and that is said without asking GitHub', async () => {
    const session = await withApp({ scope });
    await expect(session.listGroups()).rejects.toThrow(/no App manage the runners of an enterprise/);
    expect(harness.github.requests).toEqual([]);
  });
});
