import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { SqsServer } from './aws/sqs-server';
import { Ec2Server } from './compute/ec2-server';
import { recordedLog } from './compute/recorded-log';
import { scopeDigest } from '../../lambda-src/janitor/candidate';
import { janitorWiring } from '../../lambda-src/janitor-wiring';
import type { JanitorConfig } from '../../lambda-src/shared/config';
import { DeadlineError, LimitError, QuotaReserveError } from '../../lambda-src/shared/errors';
import type { CandidateMessage } from '../../src/contract/candidate-message';
import { FakeGitHub } from '../support/fake-github/fake-github';

/** What both functions of the janitor are made of: what of their configuration reaches the looks, and what each may still do when its time is running out. */

const MACHINE = 'i-0123456789abcdef0';
const TOKEN = 'ghp_example';
const environment = { ...process.env };
const candidate: CandidateMessage = {
  version: 1,
  kind: 'candidate',
  scope: 'digest',
  runner: { id: 1, name: `p_${MACHINE}` },
  group: { key: '1', name: 'Default', pages: 1 },
  observedAt: '2026-01-01T00:00:00.000Z',
  evidence: 'absent',
  mode: 'armed',
};

let github: FakeGitHub;
let ec2: Ec2Server;
let sqs: SqsServer;
let secrets: Server;
const secretValues = new Map([['arn:token', TOKEN]]);
let queueUrl: string;

beforeAll(async () => {
  github = await FakeGitHub.start();
  github.addOrganization('acme');
  github.addToken(TOKEN);
  [ec2, sqs] = await Promise.all([Ec2Server.start(), SqsServer.start()]);
  secrets = createServer({ keepAliveTimeout: 0 }, (request, response) => void (async () => {
    const { SecretId } = await json(request) as { SecretId: string };
    response.end(JSON.stringify({ SecretString: secretValues.get(SecretId) }));
  })());
  await new Promise<void>((resolve) => secrets.listen(0, '127.0.0.1', resolve));
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_ENDPOINT_URL_EC2: ec2.url,
    AWS_ENDPOINT_URL_SQS: sqs.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${(secrets.address() as AddressInfo).port}`,
    TOKEN_SECRET: 'arn:token',
    APP_1: 'arn:app1',
    APP_2: 'arn:app2',
  });
  queueUrl = (await new SQSClient({}).send(new CreateQueueCommand({ QueueName: 'candidates.fifo', Attributes: { FifoQueue: 'true' } }))).QueueUrl!;
});

afterAll(async () => {
  process.env = environment;
  secrets.closeAllConnections();
  secrets.close();
  await Promise.all([sqs.stop(), ec2.stop(), github.stop()]);
});

beforeEach(() => {
  github.requests.length = 0;
  github.setRemaining(TOKEN, 5000);
  ec2.requests.length = 0;
  sqs.reset();
});

afterEach(() => {
  jest.restoreAllMocks();
  github.clearFaults();
});

const janitor = (change: Partial<JanitorConfig> = {}) => janitorWiring({
  githubUrl: github.url,
  scope: { kind: 'organization', owner: 'acme' },
  credentials: { kind: 'token', secret: 'TOKEN_SECRET' },
  compute: { kind: 'ec2', runnerNamePrefixes: ['p_'], regions: ['us-east-1'] },
  evidence: 'absent',
  dryRun: true,
  candidatesPerRun: 100,
  quotaReserve: 0,
  interval: 1_800_000,
  queueUrl,
  protectedLabels: [],
  acknowledgedForeignRunners: [],
  candidateSender: undefined,
  nominationTags: {},
  ...change,
}, { log: recordedLog(), begin: () => undefined, count: () => undefined });

const context = (seconds: number) => ({ getRemainingTimeInMillis: () => seconds * 1000 }) as Context;

/** From now on the clock moves by hand. */
function clock(): { pass: (seconds: number) => void } {
  let now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  return { pass: (seconds) => { now += seconds * 1000; } };
}

test('when only the time to queue is left, a first look asks nobody anything any more, and what it has found is queued', async () => {
  const { pass } = clock();
  const { ports } = await janitor().firstLook(context(60));
  pass(35);
  expect(ports.deadline.isOpen()).toBe(false);
  await expect(ports.registrations.listGroups()).rejects.toThrow(DeadlineError);
  expect(await ports.machines.lookup([MACHINE])).toEqual(new Map([[MACHINE, 'unknown']]));
  expect([github.requests, ec2.requests]).toEqual([[], []]);
  expect(await ports.queue.send([candidate])).toEqual([]);
});

test('a first look does not wait for the end of a limit into the time to queue', async () => {
  github.fault({ path: /runner-groups/ }, { retryAfter: 35 });
  const { ports } = await janitor().firstLook(context(60));
  await expect(ports.registrations.listGroups()).rejects.toThrow(LimitError);
});

test('a first look without time for anything but queueing does not begin', async () => {
  await expect(janitor().firstLook(context(25))).rejects.toThrow('no time left for authentication');
  expect(github.requests).toEqual([]);
});

test('a second look, which queues nothing, has the whole time for looking', async () => {
  const { pass } = clock();
  const { ports } = await janitor().secondLook(context(60));
  pass(35);
  expect(ports.deadline.isOpen()).toBe(true);
  expect(await ports.registrations.listGroups()).toHaveLength(1);
  expect(await ports.machines.lookup([MACHINE])).toEqual(new Map([[MACHINE, 'absent']]));
});

test('a second look without time for anything does not even log in', async () => {
  await expect(janitor().secondLook(context(9))).rejects.toThrow(new DeadlineError('no time left for authentication'));
  expect(github.requests).toEqual([]);
});

describe.each([['first', 'firstLook'], ['second', 'secondLook']] as const)('a %s look', (_, look) => {
  test('judges by what is configured', async () => {
    const config: Partial<JanitorConfig> = {
      evidence: 'terminated', dryRun: false, candidatesPerRun: 7, interval: 3_600_000, protectedLabels: ['keep'], acknowledgedForeignRunners: ['p_phantom'],
    };
    const { config: whole, [look]: begin } = janitor({ ...config, scope: { kind: 'organization', owner: 'acme', groups: { names: [], ids: [7, 9] } } });
    const { policy, github: { apiUrl } } = await begin(context(60));
    expect(policy).toMatchObject({ ...config, groupKeys: ['7', '9'], scope: scopeDigest(apiUrl, whole.scope, whole.compute, 'terminated') });
  });

  test('leaves the reserved part of the quota alone', async () => {
    github.setRemaining(TOKEN, 2400);
    const { ports: { registrations } } = await janitor({ quotaReserve: 0.5 })[look](context(60));
    // the first answer tells how much is left
    await registrations.listGroups();
    await expect(registrations.listGroups()).rejects.toThrow(QuotaReserveError);
  });

  test('draws at random', async () => {
    const { ports } = await janitor()[look](context(60));
    const drawn = Array.from({ length: 50 }, ports.random);
    expect(new Set(drawn).size).toBeGreaterThan(1);
    expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
  });
});

test.each([1_200_000, 86_400_000])('a first look queues a registration once in each interval, here of %d ms', async (interval) => {
  const { pass } = clock();
  const wiring = janitor({ interval });
  // to the beginning of an interval
  pass((interval - Date.now() % interval) / 1000);
  for (const seconds of [0, interval / 1000 - 1, 1]) {
    pass(seconds);
    const { ports } = await wiring.firstLook(context(60));
    await ports.queue.send([candidate]);
  }
  const slots = sqs.requests.map(({ body }) => (body.Entries as { MessageDeduplicationId: string }[])[0]!.MessageDeduplicationId.split('#').at(-1));
  expect(slots.map(Number)).toEqual([0, 0, 1].map((later) => Math.floor(Date.now() / interval) - 1 + later));
});

test('a second look stays with one App, because a 404 counts only from one that has read the group; a first look takes the one with most left', async () => {
  for (const appId of [1, 2]) {
    const { privateKey } = github.addApp({ appId });
    github.install(appId, { owner: 'acme' });
    secretValues.set(`arn:app${appId}`, JSON.stringify({ appId, privateKey }));
  }
  const askers = async (look: 'firstLook' | 'secondLook') => {
    github.requests.length = 0;
    // of Apps that nothing is known of, each is asked once
    const { ports: { registrations } } = await janitor({ credentials: { kind: 'apps', secrets: ['APP_1', 'APP_2'] } })[look](context(60));
    for (let page = 1; page <= 4; page += 1) await registrations.readPage({ key: '1', name: 'Default' }, page);
    return new Set(github.requests.filter(({ path }) => path.endsWith('/runners')).map(({ appId }) => appId)).size;
  };
  expect(await askers('secondLook')).toBe(1);
  expect(await askers('firstLook')).toBe(2);
});
