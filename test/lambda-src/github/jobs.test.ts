import { GitHubJobs } from '../../../lambda-src/github/jobs';
import type { JobsSession } from '../../../lambda-src/github/jobs-session';
import { Deadline } from '../../../lambda-src/shared/deadline';
import { DeadlineError, LimitError, NoCredentialError, PermissionError, TransientError } from '../../../lambda-src/shared/errors';
import type { CredentialsConfig } from '../../../src/contract/janitor-config';
import { FakeGitHub } from '../../support/fake-github/fake-github';
import { recordedLog } from '../compute/recorded-log';

let github: FakeGitHub;
let secrets: Map<string, string>;
let now: number;

beforeEach(async () => {
  now = Date.parse('2026-05-01T10:00:00Z');
  github = await FakeGitHub.start({ now: () => now });
  secrets = new Map();
  for (const owner of ['acme', 'other']) github.addOrganization(owner);
  for (const name of ['acme/app', 'other/tools']) github.addRepository(name);
  addApp(1);
  github.install(1, { owner: 'acme' });
});

afterEach(() => github.stop());

function addApp(appId: number, more: object = {}): void {
  secrets.set(`arn:app${appId}`, JSON.stringify({ ...github.addApp({ appId }), ...more }));
}

function jobs(credentials: CredentialsConfig = { kind: 'apps', secrets: [...secrets.keys()] }): GitHubJobs {
  const read = async (name: string) => {
    const value = secrets.get(name);
    if (value === undefined) throw new Error(`${name} does not exist`);
    return value;
  };
  return new GitHubJobs({
    githubUrl: github.url,
    credentials,
    reader: { readSecret: read, readParameter: read },
    log: recordedLog(),
    now: () => now,
    sleep: async (milliseconds) => void (now += milliseconds),
  });
}

const session = (credentials?: CredentialsConfig, seconds = 60): JobsSession => jobs(credentials).session(Deadline.after(seconds * 1000, () => now));

const token: CredentialsConfig = { kind: 'token', secret: 'arn:token' };
const JOB = { id: 700, run_id: 70, status: 'in_progress', runner_id: 5, runner_name: 'R1', runner_group_id: 1, started_at: '2026-05-01T09:59:00Z', labels: ['self-hosted', 'big'] };
const FOUND = { id: 700, repository: 'acme/app', runId: 70, runnerName: 'R1', startedAt: Date.parse(JOB.started_at), labels: ['self-hosted', 'big'] };

describe('the job that a runner ran', () => {
  test('is found in its run with one request', async () => {
    github.addJob('acme/app', JOB);
    github.addJob('acme/app', { ...JOB, id: 701, runner_name: 'R2' });

    expect(await session().findInRun('acme/app', 70, 'R1')).toEqual(FOUND);
    expect(github.count({ path: '/repos/acme/app/actions/runs/70/jobs' })).toBe(1);
  });

  test('case 41: is found in an earlier attempt of the run', async () => {
    github.addJob('acme/app', { ...JOB, run_attempt: 1 });
    github.addJob('acme/app', { ...JOB, id: 800, run_attempt: 2, runner_name: 'R9' });

    expect(await session().findInRun('acme/app', 70, 'R1')).toMatchObject({ id: 700 });
  });

  test.each([[[800, 700]], [[700, 800]]])('is the one that really ran, not its copy in an attempt that repeats only what had failed: %j', async (order) => {
    for (const id of order) github.addJob('acme/app', { ...JOB, id, run_attempt: id === 700 ? 1 : 2, status: 'completed' });

    expect(await session().findInRun('acme/app', 70, 'R1')).toMatchObject({ id: 700 });
  });

  test('is the one that really ran, also when its copy is on an earlier page', async () => {
    github.addJob('acme/app', { ...JOB, id: 800, run_attempt: 2, status: 'completed' });
    for (let id = 1000; id < 1100; id++) github.addJob('acme/app', { ...JOB, id, runner_name: `X${id}` });
    github.addJob('acme/app', JOB);

    expect(await session().findInRun('acme/app', 70, 'R1')).toMatchObject({ id: 700 });
  });

  test('is the last one when a runner of that name had several', async () => {
    github.addJob('acme/app', { ...JOB, id: 800, started_at: '2026-05-01T09:59:30Z' });
    github.addJob('acme/app', JOB);

    expect(await session().findInRun('acme/app', 70, 'R1')).toMatchObject({ id: 800 });
  });

  test('is found behind the first page', async () => {
    for (let id = 1000; id < 1150; id++) github.addJob('acme/app', { ...JOB, id, runner_name: `X${id}` });

    expect(await session().findInRun('acme/app', 70, 'X1149')).toMatchObject({ id: 1149 });
    expect(await session().findInRun('acme/app', 70, 'R1')).toBe('notListed');
  });

  test('is not looked for without end: whoever prints a line chooses the run', async () => {
    for (let id = 1000; id < 3200; id++) github.addJob('acme/app', { ...JOB, id, runner_name: `X${id}` });

    expect(await session().findInRun('acme/app', 70, 'R1')).toBe('notListed');
    expect(github.count({ path: '/repos/acme/app/actions/runs/70/jobs' })).toBe(20);
  });

  test('is not there while no runner is named: null, or 0 and an empty name', async () => {
    github.addJob('acme/app', { ...JOB, runner_id: 0, runner_name: '' });
    github.addJob('acme/app', { ...JOB, id: 701, runner_id: null, runner_name: null });

    expect(await session().findInRun('acme/app', 70, '')).toBe('notListed');
  });

  test('is looked for in every organization where the App is installed, with the token of that one', async () => {
    github.install(1, { owner: 'other' });
    github.addJob('acme/app', JOB);
    github.addJob('other/tools', { ...JOB, id: 900 });
    const both = session();

    expect(await both.findInRun('other/tools', 70, 'R1')).toMatchObject({ id: 900, repository: 'other/tools' });
    expect(await both.findInRun('acme/app', 70, 'R1')).toMatchObject({ id: 700 });
  });

  test('is looked for with another App where the first one is not installed', async () => {
    addApp(2);
    github.install(2, { owner: 'other' });
    github.addJob('other/tools', JOB);

    expect(await session().findInRun('other/tools', 70, 'R1')).toMatchObject({ id: 700 });
  });

  test('a configured installation is that of one owner, and not used for another', async () => {
    const installationId = github.install(1, { owner: 'other' });
    secrets.set('arn:app1', JSON.stringify({ ...JSON.parse(secrets.get('arn:app1')!), installationId }));
    github.addJob('acme/app', JOB);

    expect(await session().findInRun('acme/app', 70, 'R1')).toMatchObject({ id: 700 });
  });
});

describe('a run that nobody shows us', () => {
  test('in a repository of ours is a run that does not exist', async () => {
    expect(await session().findInRun('acme/app', 404, 'R1')).toBe('notListed');
  });

  test('of an owner who has not installed the App', async () => {
    const ours = session();
    expect(await ours.findInRun('other/tools', 70, 'R1')).toBe('notInstalled');
    expect(ours.trouble).toEqual([]);
  });

  test('the same a moment later, in another invocation of the same process', async () => {
    const process_ = jobs();
    const deadline = () => Deadline.after(60_000, () => now);
    expect(await process_.session(deadline()).findInRun('other/tools', 70, 'R1')).toBe('notInstalled');
    expect(await process_.session(deadline()).findInRun('other/tools', 71, 'R1')).toBe('notInstalled');
  });

  test('in a repository that the installation leaves out', async () => {
    github.install(1, { owner: 'other', repositories: ['other/else'] });

    expect(await session().findInRun('other/tools', 70, 'R1')).toBe('notInstalled');
  });

  test('with a token is unverifiable: it cannot tell a foreign repository from one that does not exist', async () => {
    github.addToken('ghp_x');
    secrets.set('arn:token', 'ghp_x');

    expect(await session(token).findInRun('foreign/secret', 70, 'R1')).toBe('unverifiable');
  });

  test('while one of several Apps cannot be loaded is no answer: that one may be installed', async () => {
    const credentials: CredentialsConfig = { kind: 'apps', secrets: ['arn:app1', 'arn:missing'] };

    await expect(session(credentials).findInRun('other/tools', 70, 'R1')).rejects.toThrow(NoCredentialError);
  });

  test.each([
    [{ status: 500 }, TransientError],
    ['cutBody', TransientError],
    ['emptyBody', TransientError],
    ['html', TransientError],
    ['wrongShape', TransientError],
    ['reset', TransientError],
    ['limit403', LimitError],
    ['secondary403', LimitError],
    ['permission403', PermissionError],
  ] as const)('because GitHub answers with %j is no answer', async (effect, error) => {
    github.addJob('acme/app', JOB);
    github.fault({ path: /actions\/runs/ }, effect);

    await expect(session(undefined, 30).findInRun('acme/app', 70, 'R1')).rejects.toThrow(error);
  });

  test('because no token can be had is no answer', async () => {
    github.addJob('acme/app', JOB);
    github.fault({ path: /access_tokens/ }, { status: 502 });

    await expect(session(undefined, 30).findInRun('acme/app', 70, 'R1')).rejects.toThrow(TransientError);
  });

  test.each([{ status: 500 }, 'html', 'limit403', 'permission403'] as const)('is no answer when the question for the installation is answered with %j', async (effect) => {
    github.fault({ path: /^\/repos\/.*\/installation$/ }, effect);

    await expect(session().findInRun('other/tools', 70, 'R1')).rejects.toThrow(TransientError);
  });

  test('costs no request when no time is left', async () => {
    await expect(session(undefined, 5).findInRun('acme/app', 70, 'R1')).rejects.toThrow(DeadlineError);
    expect(github.requests).toEqual([]);
  });
});

describe('a job by its id', () => {
  test('is found', async () => {
    github.addJob('acme/app', JOB);

    expect(await session().find('acme/app', 700)).toEqual(FOUND);
  });

  test('is unknown where GitHub does not know it', async () => {
    expect(await session().find('acme/app', 700)).toBeUndefined();
  });

  test('is no answer when GitHub has trouble', async () => {
    github.fault({ path: /actions\/jobs/ }, { status: 500 });

    await expect(session().find('acme/app', 700)).rejects.toThrow(TransientError);
  });
});

describe('a registration that idles', () => {
  test.each([
    ['online and not busy', true, { status: 'online', busy: false }],
    ['busy', false, { status: 'online', busy: true }],
    ['offline', false, { status: 'offline', busy: false }],
  ] as const)('a runner of the organization that is %s: %s', async (_, expected, state) => {
    github.addRunner('acme', 1, { name: 'R1', ...state });

    expect(await session().isIdle('acme/app', 'R1')).toBe(expected);
  });

  test('a runner of the repository is found as well', async () => {
    github.addRepositoryRunner('acme/app', { name: 'R1', status: 'online' });

    expect(await session().isIdle('acme/app', 'R1')).toBe(true);
  });

  test('one that is registered nowhere does not idle', async () => {
    github.addRunner('acme', 1, { name: 'R10', status: 'online' });

    expect(await session().isIdle('acme/app', 'R1')).toBe(false);
  });

  test('an older server that ignores the filter is searched by name', async () => {
    github.settings.olderServer = true;
    github.addRunner('acme', 1, { name: 'R10', status: 'online' });
    github.addRunner('acme', 1, { name: 'R1', status: 'offline' });

    expect(await session().isIdle('acme/app', 'R1')).toBe(false);
  });

  test('an older server that ignores the filter is searched to its last page', async () => {
    github.settings.olderServer = true;
    for (let number = 0; number < 150; number += 1) github.addRunner('acme', 1, { name: `R1${number}`, status: 'offline' });
    github.addRunner('acme', 1, { name: 'R1', status: 'online' });

    expect(await session().isIdle('acme/app', 'R1')).toBe(true);
  });

  test.each([
    ['organization', { administration: 'write' }],
    ['repository', { organization_self_hosted_runners: 'write' }],
  ] as const)('an App that may not see runners of the %s looks at the others', async (_, permissions) => {
    addApp(4);
    github.install(4, { owner: 'other', permissions });
    if ('administration' in permissions) github.addRepositoryRunner('other/tools', { name: 'R1', status: 'online' });
    else github.addRunner('other', 1, { name: 'R1', status: 'online' });

    expect(await session().isIdle('other/tools', 'R1')).toBe(true);
  });

  test('an App that may not see runners of the organization does not know whether one idles there', async () => {
    addApp(4);
    github.install(4, { owner: 'other', permissions: { administration: 'write' } });
    github.addRunner('other', 1, { name: 'R1', status: 'online' });

    await expect(session().isIdle('other/tools', 'R1')).rejects.toThrow(PermissionError);
  });

  test('an App that may not see runners of the repository knows enough: those cannot be robbed', async () => {
    addApp(4);
    github.install(4, { owner: 'other', permissions: { organization_self_hosted_runners: 'write' } });

    expect(await session().isIdle('other/tools', 'R1')).toBe(false);
  });

  test('an App that may see neither says nothing', async () => {
    addApp(4);
    github.install(4, { owner: 'other', permissions: { metadata: 'read' } });

    await expect(session().isIdle('other/tools', 'R1')).rejects.toThrow(PermissionError);
  });

  test('a 404 of the organization that passes hides no runner', async () => {
    github.addRunner('acme', 1, { name: 'R1', status: 'online' });
    const fault = github.fault({ path: /^\/orgs\/acme\/actions\/runners/, times: 1 }, { status: 404 });

    expect(await session().isIdle('acme/app', 'R1')).toBe(true);
    expect(fault.hits).toBe(1);
  });

  test('is no answer when GitHub has trouble', async () => {
    github.fault({ path: /actions\/runners/ }, { status: 500 });

    await expect(session().isIdle('acme/app', 'R1')).rejects.toThrow(TransientError);
  });
});
