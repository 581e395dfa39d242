import { createHmac } from 'node:crypto';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { DynamoDbServer } from './aws/dynamodb-server';
import { SqsServer } from './aws/sqs-server';
import { JobLedger } from '../../lambda-src/aws/job-ledger';
import { Deadline } from '../../lambda-src/shared/deadline';
import { DETECTOR_ENV } from '../../src/contract/detector-config';
import { StepFunctionsServer } from '../support/cloud/step-functions-server';
import { FakeGitHub } from '../support/fake-github/fake-github';

// the functions as Lambda calls them: only the environment tells them where everything is

const STATE_MACHINE = 'arn:aws:states:us-east-1:123456789012:stateMachine:Runners';
const INPUT = '{"owner":"acme","repo":"app","jobId":100}';
const context = { getRemainingTimeInMillis: () => 30_000, awsRequestId: 'id', functionName: 'judge' } as Context;

let github: FakeGitHub;
let stepFunctions: StepFunctionsServer;
let sqs: SqsServer;
let dynamodb: DynamoDbServer;
let secretsManager: Server;
let client: SQSClient;
let ledger: JobLedger;
let ends: (() => Promise<unknown>)[];
const secrets = new Map<string, string>();
const environment = { ...process.env };

beforeAll(async () => {
  github = await FakeGitHub.start();
  stepFunctions = new StepFunctionsServer();
  const listening = await stepFunctions.listen();
  sqs = await SqsServer.start();
  dynamodb = await DynamoDbServer.start();
  secretsManager = createServer({ keepAliveTimeout: 0 }, (request, response) => void (async () => {
    const { SecretId } = JSON.parse(await text(request)) as { SecretId: string };
    response.end(JSON.stringify({ ARN: SecretId, SecretString: secrets.get(SecretId) }));
  })());
  await new Promise<void>((resolve) => secretsManager.listen(0, '127.0.0.1', resolve));
  const closed = () => new Promise((resolve) => secretsManager.close(resolve));
  ends = [() => github.stop(), () => listening.stop(), () => sqs.stop(), () => dynamodb.stop(), closed];

  const { port } = secretsManager.address() as AddressInfo;
  client = new SQSClient({ region: 'us-east-1', endpoint: sqs.url, credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' } });
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'reports.fifo', Attributes: { FifoQueue: 'true' } }));
  const table = await dynamodb.table(dynamodb.client());
  ledger = new JobLedger({ client: dynamodb.client(), table, ttlSeconds: 1000, deadline: Deadline.after(600_000) });

  github.addOrganization('acme');
  github.addRepository('acme/app');
  github.addRepository('acme/other');
  const app = github.addApp({ appId: 1 });
  github.install(1, { owner: 'acme' });
  secrets.set('arn:app', JSON.stringify(app));
  secrets.set('arn:webhook', '{"webhookSecret":"hook"}');

  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_ENDPOINT_URL_SQS: sqs.url,
    AWS_ENDPOINT_URL_SFN: listening.url,
    AWS_ENDPOINT_URL_DYNAMODB: (await dynamodb.client().config.endpoint!().then(({ hostname, port: at }) => `http://${hostname}:${at}`)),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${port}`,
    // writes with the console that a test can listen to
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_METRICS_DISABLED: 'false',
    POWERTOOLS_SERVICE_NAME: 'Stack/Detector',
    POWERTOOLS_METRICS_NAMESPACE: 'Tests',
    APP_SECRET: 'arn:app',
    [DETECTOR_ENV.queueUrl]: QueueUrl,
    [DETECTOR_ENV.table]: table,
    [DETECTOR_ENV.ttlSeconds]: '1000',
    [DETECTOR_ENV.stateMachineArn]: STATE_MACHINE,
    [DETECTOR_ENV.githubUrl]: github.url,
    [DETECTOR_ENV.credentials]: JSON.stringify({ kind: 'apps', secrets: ['APP_SECRET'] }),
    [DETECTOR_ENV.maxReplacements]: '3',
    [DETECTOR_ENV.maxReplacementsPerHour]: '20',
    [DETECTOR_ENV.observeOnly]: 'false',
    [DETECTOR_ENV.webhookSecret]: 'arn:webhook',
  });
});

afterAll(async () => {
  process.env = environment;
  for (const end of ends) await end();
});

let written: string[];

beforeEach(() => {
  written = [];
  const write = (...lines: unknown[]) => void written.push(lines.join(' '));
  for (const method of ['log', 'info', 'warn', 'error'] as const) jest.spyOn(console, method).mockImplementation(write);
  sqs.reset();
});

const metrics = () => written.flatMap((line) => line.includes('CloudWatchMetrics') ? [JSON.parse(line) as Record<string, unknown>] : []);

function record(messageId: string, body: unknown, group: string): SQSRecord {
  const attributes = { SentTimestamp: String(Date.now() - 60_000), ApproximateFirstReceiveTimestamp: String(Date.now()), MessageGroupId: group };
  return { messageId, receiptHandle: 'unknown', body: JSON.stringify(body), attributes } as unknown as SQSRecord;
}

test('the judge replaces what was stolen, returns what it cannot know yet, and drops what it cannot read', async () => {
  const { handler } = await import('../../lambda-src/judge.lambda');
  for (const name of ['R1', 'R2', 'R3']) stepFunctions.start(STATE_MACHINE, name, INPUT);
  await ledger.recordRunner({ jobId: 100, runnerName: 'R1', labels: undefined });
  github.addJob('acme/other', { id: 900, run_id: 90, status: 'in_progress', runner_name: 'R1', runner_id: 1, started_at: new Date().toISOString() });
  const report = { version: 1, source: 'log', repository: 'acme/other', runId: 90 };
  const event: SQSEvent = {
    Records: [
      record('stolen', { ...report, runnerName: 'R1' }, 'R1'),
      record('again', { ...report, runnerName: 'R1', source: 'signed', jobId: 900 }, 'R1'),
      record('not listed', { ...report, runnerName: 'R2' }, 'R2'),
      record('behind it', { ...report, runnerName: 'R2', source: 'signed', jobId: 901 }, 'R2'),
      record('malformed', { ...report, runnerName: 'a b' }, 'x'),
      record('own job', { ...report, runnerName: 'R3', source: 'signed', jobId: 100, repository: 'acme/app' }, 'R3'),
    ],
  };

  const { batchItemFailures } = await handler(event, context);

  expect(batchItemFailures).toEqual([{ itemIdentifier: 'not listed' }]);
  expect(stepFunctions.all().map(({ name }) => name)).toEqual(['R1', 'R2', 'R3', 'R1-r1', 'R2-r1']);
  expect(stepFunctions.find('R1-r1')!.input).toBe(INPUT);
  expect((await ledger.job(100))!.runners).toContain('R1-r1');
  expect(sqs.requests.map(({ action, body }) => [action, body.VisibilityTimeout])).toEqual([['ChangeMessageVisibility', 30]]);
  expect(Object.assign({}, ...metrics())).toMatchObject({ service: 'Stack/Detector', StolenByOutsider: 2, Replaced: 2, MalformedReports: 1 });
});

test('a run with more jobs than there is time to read holds up nobody but whoever named it', async () => {
  const { handler } = await import('../../lambda-src/judge.lambda');
  for (const name of ['S1', 'S2']) stepFunctions.start(STATE_MACHINE, name, INPUT);
  for (let id = 5000; id < 7500; id++) github.addJob('acme/other', { id, run_id: 91, status: 'completed', runner_name: `X${id}`, runner_id: 1 });
  const slow = github.fault({ path: /runs\/91\/jobs/ }, { delayMs: 600 });
  const event: SQSEvent = {
    Records: [
      record('slow', { version: 1, source: 'log', repository: 'acme/other', runId: 91, runnerName: 'S1' }, 'S1'),
      record('stolen', { version: 1, source: 'signed', repository: 'acme/other', jobId: 902, runnerName: 'S2' }, 'S2'),
    ],
  };

  const endsAt = Date.now() + 22_800;
  const { batchItemFailures } = await handler(event, { ...context, getRemainingTimeInMillis: () => endsAt - Date.now() });
  slow.clear();

  expect(batchItemFailures).toEqual([{ itemIdentifier: 'slow' }]);
  expect(stepFunctions.find('S2-r1')).toBeDefined();
}, 30_000);

test('a judge whose environment is broken returns every report and says why', async () => {
  await jest.isolateModulesAsync(async () => {
    const before = process.env[DETECTOR_ENV.stateMachineArn];
    delete process.env[DETECTOR_ENV.stateMachineArn];
    const { handler } = await import('../../lambda-src/judge.lambda');

    const { batchItemFailures } = await handler({ Records: [record('one', {}, 'a'), record('two', {}, 'b')] }, context);

    expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(['one', 'two']);
    expect(written.join('\n')).toContain('environment variable STATE_MACHINE_ARN is missing');
    process.env[DETECTOR_ENV.stateMachineArn] = before;
  });
});

async function received(): Promise<unknown[]> {
  const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: process.env[DETECTOR_ENV.queueUrl], MaxNumberOfMessages: 10 }));
  return Messages.map(({ Body }) => JSON.parse(Body!) as unknown);
}

test('the intake puts what runners log on the queue', async () => {
  const { handler } = await import('../../lambda-src/intake.lambda');
  const content = { messageType: 'DATA_MESSAGE', logEvents: [{ message: 'CDKGHR JOB RUNNER=L1 REPO=acme/app WORKFLOW_ID=5' }] };

  await handler({ awslogs: { data: gzipSync(JSON.stringify(content)).toString('base64') } }, context);

  expect(await received()).toEqual([{ version: 1, source: 'log', runnerName: 'L1', repository: 'acme/app', runId: 5 }]);
});

test('the webhook puts what GitHub signs on the queue', async () => {
  const { handler } = await import('../../lambda-src/webhook.lambda');
  const body = JSON.stringify({ action: 'in_progress', workflow_job: { id: 7, runner_name: 'W1' }, repository: { full_name: 'acme/app' } });
  const signature = `sha256=${createHmac('sha256', 'hook').update(body).digest('hex')}`;
  const headers = { 'x-github-event': 'workflow_job', 'x-hub-signature-256': signature };

  expect(await handler({ body, headers }, context)).toEqual({ statusCode: 202, body: 'reported' });
  expect(await handler({ body: `${body} `, headers }, context)).toEqual({ statusCode: 401, body: 'unauthorized' });
  expect(await received()).toEqual([{ version: 1, source: 'signed', runnerName: 'W1', repository: 'acme/app', jobId: 7 }]);
});

test.each(['{"other":"hook"}', '{"webhookSecret":""}', ''])('a webhook whose secret is %j refuses everything without a reason, also what is signed with nothing', async (secret) => {
  await jest.isolateModulesAsync(async () => {
    secrets.set('arn:webhook', secret);
    const { handler } = await import('../../lambda-src/webhook.lambda');
    const body = JSON.stringify({ action: 'in_progress', workflow_job: { id: 7, runner_name: 'W1' }, repository: { full_name: 'acme/app' } });
    for (const key of ['undefined', 'null', '', secret, 'hook']) {
      const signature = `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
      const answer = await handler({ body, headers: { 'x-github-event': 'workflow_job', 'x-hub-signature-256': signature } }, context);
      expect(answer).toEqual({ statusCode: 500, body: 'internal error' });
    }
    secrets.set('arn:webhook', '{"webhookSecret":"hook"}');
  });
  expect(await received()).toEqual([]);
});

test('the recorder writes the job of an execution that starts', async () => {
  const { handler } = await import('../../lambda-src/recorder.lambda');
  const detail = { name: 'E1', status: 'RUNNING', input: '{"jobId":555,"jobLabels":"big","labels":"self-hosted,big"}' };

  await handler({ 'source': 'aws.states', 'detail-type': 'Step Functions Execution Status Change', detail } as never, context);

  expect(await ledger.job(555)).toEqual({ id: 555, runners: ['E1'], labels: expect.arrayContaining(['self-hosted', 'big']) });
});
