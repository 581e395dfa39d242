import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { SqsServer } from './aws/sqs-server';
import { Ec2Server } from './compute/ec2-server';
import { recordedLog } from './compute/recorded-log';
import { janitorWiring } from '../../lambda-src/janitor-wiring';
import { DeadlineError, LimitError } from '../../lambda-src/shared/errors';
import type { CandidateMessage } from '../../src/contract/candidate-message';
import { FakeGitHub } from '../support/fake-github/fake-github';

/** What the ports of each look may still do when the time of an invocation is running out. */

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
let queueUrl: string;

beforeAll(async () => {
  github = await FakeGitHub.start();
  github.addOrganization('acme');
  github.addToken(TOKEN);
  [ec2, sqs] = await Promise.all([Ec2Server.start(), SqsServer.start()]);
  secrets = createServer({ keepAliveTimeout: 0 }, (_, response) => response.end(JSON.stringify({ SecretString: TOKEN })));
  await new Promise<void>((resolve) => secrets.listen(0, '127.0.0.1', resolve));
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_ENDPOINT_URL_EC2: ec2.url,
    AWS_ENDPOINT_URL_SQS: sqs.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${(secrets.address() as AddressInfo).port}`,
    TOKEN_SECRET: 'arn:token',
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
  ec2.requests.length = 0;
});

afterEach(() => {
  jest.restoreAllMocks();
  github.clearFaults();
});

const janitor = () => janitorWiring({
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
