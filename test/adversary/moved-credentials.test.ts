import { GitHubJobs } from '../../lambda-src/github/jobs';
import { recordedLog } from '../lambda-src/compute/recorded-log';
import { Harness } from '../lambda-src/github/harness';
import { FakeGitHub } from '../support/fake-github/fake-github';

/** A secret of cdk-github-runners names the host, and moves to another one while a warm function lives. */

const credentials = { kind: 'cdkGithubRunners', secret: 'arn:github', privateKey: 'arn:key' } as const;
let harness: Harness;
let other: FakeGitHub;
/** `<origin> <authorization>` of each request */
let sent: string[];

beforeEach(async () => {
  harness = await Harness.start();
  other = await FakeGitHub.start({ now: () => harness.time });
  other.addOrganization('acme');
  sent = [];
  harness.fetch = (input, init) => {
    sent.push(`${new URL(String(input)).origin} ${new Headers(init?.headers).get('authorization')}`);
    return globalThis.fetch(input, init);
  };
});

afterEach(async () => {
  await other.stop();
  await harness.github.stop();
});

const connect = () => harness.connect({ githubUrl: undefined, credentials });
const secretOf = (host: FakeGitHub, fields: object) => JSON.stringify({ domain: host.url, appId: '', personalAuthToken: '', ...fields });
const listGroups = async (github: ReturnType<typeof connect>) => (await github.session(harness.deadline())).listGroups();

function issueApp(appId: number): void {
  const { privateKey } = harness.github.addApp({ appId });
  harness.github.install(appId, { owner: 'acme' });
  harness.secrets.set('arn:github', secretOf(harness.github, { appId: String(appId) }));
  harness.secrets.set('arn:key', privateKey);
}

function issueToken(token: string): void {
  harness.github.addToken(token);
  harness.secrets.set('arn:github', secretOf(harness.github, { personalAuthToken: token }));
}

describe('while the key at the new host cannot be read for a moment', () => {
  test.each([
    ['the token of the old host', () => issueToken('ghp_ofTheOldHost'), '7'],
    ['the key of another App at the old host', () => issueApp(1), '7'],
    ['the key of the App that has the same id at the old host', () => issueApp(1), '1'],
  ])('%s is not used for it', async (_, issue, appId) => {
    issue();
    const github = connect();
    expect(await listGroups(github)).toHaveLength(1);
    harness.secrets.set('arn:github', secretOf(other, { appId }));
    harness.secrets.delete('arn:key');
    for (let run = 0; run < 3; run += 1) {
      harness.time += 10 * 60_000;
      await expect(listGroups(github)).rejects.toThrow(/no credential is usable/);
    }
    expect(sent.filter((line) => line.startsWith(other.url))).toEqual([]);
  });

  test('the same when the secret could not be read in between either', async () => {
    issueToken('ghp_ofTheOldHost');
    const github = connect();
    await listGroups(github);
    harness.secrets.delete('arn:github');
    harness.time += 10 * 60_000;
    expect(await listGroups(github)).toHaveLength(1);
    harness.secrets.set('arn:github', secretOf(other, { appId: '7' }));
    harness.time += 10 * 60_000;
    await expect(listGroups(github)).rejects.toThrow(/no credential is usable/);
    expect(sent.filter((line) => line.startsWith(other.url))).toEqual([]);
  });

  test('the new host is asked as soon as its key is there', async () => {
    issueToken('ghp_ofTheOldHost');
    const github = connect();
    await listGroups(github);
    const { privateKey } = other.addApp({ appId: 7 });
    other.install(7, { owner: 'acme' });
    harness.secrets.set('arn:github', secretOf(other, { appId: '7' }));
    harness.time += 10 * 60_000;
    await listGroups(github).catch(() => {});
    harness.secrets.set('arn:key', privateKey);
    harness.time += 60_000;
    expect(await listGroups(github)).toHaveLength(1);
    expect(sent.at(-1)).toContain(other.url);
  });
});

test('the judge does not ask the old host with the App of the new one whether it is installed', async () => {
  harness.github.addRepository('acme/app');
  issueApp(1);
  const jobs = new GitHubJobs({
    githubUrl: undefined,
    credentials,
    reader: { readSecret: async (arn) => harness.secrets.get(arn)!, readParameter: async () => '' },
    log: recordedLog(),
    now: () => harness.time,
    sleep: async (milliseconds) => void (harness.time += milliseconds),
    fetch: (input, init) => harness.fetch(input, init),
  }).session(harness.deadline(900));
  expect(await jobs.findInRun('acme/app', 404, 'R1')).toBe('notListed');
  const { privateKey } = other.addApp({ appId: 7 });
  harness.secrets.set('arn:github', secretOf(other, { appId: '7' }));
  harness.secrets.set('arn:key', privateKey);
  harness.time += 10 * 60_000;
  expect(await jobs.findInRun('acme/app', 404, 'R1')).toBe('notListed');
  expect(new Set(harness.github.requests.map(({ appId }) => appId))).toEqual(new Set([1]));
});
