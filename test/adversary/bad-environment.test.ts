import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handler as discovery } from '../../lambda-src/discovery.lambda';
import { scopeDigest } from '../../lambda-src/janitor/candidate';
import { ec2Error, Ec2Server } from '../lambda-src/compute/ec2-server';
import { FakeGitHub } from '../support/fake-github/fake-github';

/** The second look's function as Lambda calls it, in an environment in which it cannot do its work. */

const MACHINE = 'i-0123456789abcdef0';
const SECRET = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:app-abcdef';
const context = { getRemainingTimeInMillis: () => 120_000, awsRequestId: 'id', functionName: 'confirmation' } as Context;
const environment = { ...process.env };
const scope = { kind: 'organization', owner: 'acme' } as const;
const compute = { kind: 'ec2', runnerNamePrefixes: ['p_'], regions: ['us-east-1'] } as const;

let github: FakeGitHub;
let ec2: Ec2Server;
let secrets: Server;
let secret: string | undefined;
let good: string;
let group: number;
let written: string;
let runner: { id: number; name: string };
let handler: (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

beforeAll(async () => {
  github = await FakeGitHub.start();
  ec2 = await Ec2Server.start();
  secrets = createServer({ keepAliveTimeout: 0 }, (request, response) => void (async () => {
    await text(request);
    response.writeHead(secret === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(secret === undefined ? { __type: 'ResourceNotFoundException', message: 'no such secret' } : { ARN: SECRET, SecretString: secret }));
  })());
  await new Promise<void>((resolve) => secrets.listen(0, '127.0.0.1', resolve));
  github.addOrganization('acme');
  group = github.addGroup('acme', { name: 'spot' });
  const { privateKey } = github.addApp({ appId: 1 });
  github.install(1, { owner: 'acme' });
  good = JSON.stringify({ appId: 1, privateKey });
  runner = github.addRunner('acme', group, { name: `p_${MACHINE}` });
});

afterAll(async () => {
  process.env = environment;
  secrets.closeAllConnections();
  secrets.close();
  await ec2.stop();
  await github.stop();
});

beforeEach(async () => {
  secret = good;
  process.env = {
    ...environment,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_ENDPOINT_URL_EC2: ec2.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${(secrets.address() as AddressInfo).port}`,
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_METRICS_DISABLED: 'false',
    POWERTOOLS_SERVICE_NAME: 'Fleet/Janitor',
    POWERTOOLS_METRICS_NAMESPACE: 'Tests',
    APP_SECRET: SECRET,
    CANDIDATE_SENDER: 'AROADISCOVERY',
    GITHUB_URL: github.url,
    GITHUB_SCOPE: JSON.stringify(scope),
    GITHUB_CREDENTIALS: '{"kind":"apps","secrets":["APP_SECRET"]}',
    COMPUTE_PROVIDER: JSON.stringify(compute),
    EVIDENCE: 'absent',
    DRY_RUN: 'false',
    CANDIDATES_PER_RUN: '100',
    QUOTA_RESERVE: '0.2',
    SCHEDULE: 'rate(30 minutes)',
    CONFIRMATION_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/queue.fifo',
  };
  written = '';
  for (const method of ['log', 'info', 'warn', 'error'] as const) {
    jest.spyOn(console, method).mockImplementation((...line) => { written += `${line.join(' ')}\n`; });
  }
  // a cold start: the function keeps what it has read of its environment
  await jest.isolateModulesAsync(async () => { ({ handler } = await import('../../lambda-src/confirmation.lambda')); });
});

afterEach(() => { jest.restoreAllMocks(); });

/** A batch of a candidate and a nomination, both due. */
function batch(): SQSEvent {
  const observedAt = new Date(Date.now() - 1_000_000).toISOString();
  const candidate = {
    version: 1,
    kind: 'candidate',
    scope: scopeDigest(`${github.url}/api/v3`, scope, compute, 'absent'),
    runner: { id: runner.id, name: runner.name },
    group: { key: String(group), name: 'spot', pages: 1 },
    observedAt,
    evidence: 'absent',
    mode: 'armed',
  };
  const bodies = [candidate, { version: 1, kind: 'nomination', runnerName: `p_${MACHINE}` }];
  const Records = bodies.map((body, index) => ({
    messageId: `m${index}`,
    receiptHandle: `r${index}`,
    body: JSON.stringify(body),
    attributes: { SentTimestamp: String(Date.now() - 1_000_000), SenderId: 'AROADISCOVERY:discovery', MessageGroupId: `g${index}` },
    eventSource: 'aws:sqs',
  }));
  return { Records } as unknown as SQSEvent;
}

const returned = async () => (await handler(batch(), context)).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);

test.each([
  ['GITHUB_SCOPE', '{"kind":'], ['GITHUB_SCOPE', 'null'], ['GITHUB_CREDENTIALS', '[]'], ['COMPUTE_PROVIDER', '"ec2"'], ['EVIDENCE', 'maybe'],
  ['SCHEDULE', 'hourly'], ['PROTECTED_LABELS', '[1]'], ['APP_SECRET', ''], ['CONFIRMATION_QUEUE_URL', ''], ['DRY_RUN', ''],
])('%s %j: every message goes back, the log names the variable, and the metric counts', async (name, value) => {
  process.env[name] = value;
  expect(await returned()).toEqual(['m0', 'm1']);
  expect(written).toMatch(new RegExp(`"level": "ERROR"[^}]*environment variable ${name} `));
  expect(written).toContain('"Unknown":2');
  expect(github.deletions).toEqual([]);
});

test.each([
  ['a blank prefix', 'COMPUTE_PROVIDER', JSON.stringify({ ...compute, runnerNamePrefixes: ['p_', ''] }), "'runnerNamePrefixes'"],
  ['an unknown provider', 'COMPUTE_PROVIDER', '{"kind":"toaster"}', 'toaster'],
  ['an address that is none', 'GITHUB_URL', 'ftp://example', "'githubUrl'"],
])('%s: every message goes back and the log says why', async (_, name, value, why) => {
  process.env[name] = value;
  expect(await returned()).toEqual(['m0', 'm1']);
  expect(written).toContain(why);
});

test.each([
  ['that is missing', undefined, 'no such secret'],
  ['that is empty', ' ', 'must be JSON'],
  ['that holds the placeholder of a key', JSON.stringify({ appId: 1, privateKey: '-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----' }), 'not set up yet'],
  ['that holds half a key', JSON.stringify({ appId: 1, privateKey: '-----BEGIN RSA PRIVATE KEY-----\nMIIE' }), 'PEM block'],
])('a secret %s: the candidate goes back, the log says which secret and why but not what is in it, and the metric counts', async (_, value, why) => {
  secret = value;
  expect(await returned()).toContain('m0');
  expect(written).toContain(SECRET);
  expect(written).toContain(why);
  expect(written).toContain('"CredentialTrouble":1');
  expect(written).not.toContain('MIIE');
  expect(github.deletions).toEqual([]);
});

test('the first look fails loudly in the same environments', async () => {
  process.env.GITHUB_SCOPE = '{}';
  await expect(discovery({}, context)).rejects.toThrow('environment variable GITHUB_SCOPE');
});

test('certificates that are not checked: every message goes back and the log names the variable', async () => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  expect(await returned()).toEqual(['m0', 'm1']);
  expect(written).toContain('NODE_TLS_REJECT_UNAUTHORIZED');
});

test('a warm function handles again what it has returned before', async () => {
  ec2.fail(ec2Error(503, 'RequestLimitExceeded'), () => true, 3);
  process.env.DRY_RUN = 'true';
  expect(await returned()).toEqual(['m0', 'm1']);
  expect(await returned()).toEqual([]);
  expect(written).toContain('"WouldDelete":1');
});

test('in a good environment the same batch is done: the tests above fail for their own reasons', async () => {
  expect(await returned()).toEqual([]);
  expect(github.deletions).toEqual([runner.id]);
});
