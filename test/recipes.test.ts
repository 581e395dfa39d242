import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { text } from 'node:stream/consumers';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDbServer } from './lambda-src/aws/dynamodb-server';
import { SqsServer } from './lambda-src/aws/sqs-server';
import { JobLedger } from '../lambda-src/aws/job-ledger';
import { parseCandidate } from '../lambda-src/janitor/candidate';
import { Deadline } from '../lambda-src/shared/deadline';
import { parseReport } from '../lambda-src/stolen/report';
import { parseWebhookBody } from '../lambda-src/stolen/webhook-body';
import { LEDGER_ATTRIBUTES, LEDGER_KEYS, LEDGER_TTL_SECONDS } from '../src/contract/ledger-items';
import { reportDeduplicationId } from '../src/contract/report-message';

/** One call of a recipe, in words that the drivers of all languages read. */
type Call =
  | { readonly recipe: 'recordRunner'; readonly jobId: number; readonly runnerName: string; readonly labels?: readonly string[] }
  | { readonly recipe: 'reportAssignment'; readonly payload: object }
  | { readonly recipe: 'nominate'; readonly runnerName: string };

const ROOT = path.join(__dirname, '..');
const DRIVERS = path.join(__dirname, 'recipes');
const built = mkdtempSync(path.join(tmpdir(), 'recipes-'));

// no test fetches anything: Go takes the modules that are there
const go = (...args: string[]) => spawnSync('go', args, { cwd: DRIVERS, env: { ...process.env, GOPROXY: 'off' }, encoding: 'utf8' });
const hasBoto = () => spawnSync('python3', ['-c', 'import boto3']).status === 0;
const hasModules = () => go('list', '-deps', '.').status === 0;

interface Language {
  readonly driver: readonly string[];
  /** what is missing here; nothing is missing for Node */
  readonly missing?: string | false;
  readonly build?: () => void;
}

const LANGUAGES: Record<string, Language> = {
  Node: { driver: [process.execPath, path.join(DRIVERS, 'main.mjs')] },
  Python: { driver: ['python3', path.join(DRIVERS, 'main.py')], missing: !hasBoto() && 'skipped, needs python3 with boto3' },
  Go: {
    driver: [path.join(built, 'recipes')],
    missing: !hasModules() && 'skipped, needs go 1.24 and its modules: go -C test/recipes mod download',
    build: () => expect(go('build', '-o', path.join(built, 'recipes'), '.')).toMatchObject({ status: 0, stderr: '' }),
  },
};

let sqs: SqsServer;
let queues: SQSClient;
let dynamodb: DynamoDbServer;
let tables: DynamoDBClient;

beforeAll(async () => {
  [sqs, dynamodb] = await Promise.all([SqsServer.start(), DynamoDbServer.start()]);
  queues = new SQSClient({ region: 'us-east-1', endpoint: sqs.url, credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' } });
  tables = dynamodb.client();
});

afterAll(async () => {
  await Promise.all([sqs.stop(), dynamodb.stop()]);
  rmSync(built, { recursive: true });
});

describe.each(Object.entries(LANGUAGES))('%s', (language, { driver: [command, ...args], missing, build }) => {
  const behaves = (sentence: string, check: () => Promise<void>) => {
    if (missing) test.skip(`${sentence} (${missing})`, check);
    else test(sentence, check, 60_000);
  };
  let table: string;
  let queueUrl: string;

  beforeAll(() => {
    if (!missing) build?.();
  }, 600_000);

  beforeEach(async () => {
    table = await dynamodb.table(tables);
    queueUrl = (await queues.send(new CreateQueueCommand({ QueueName: `${randomUUID()}.fifo`, Attributes: { FifoQueue: 'true' } }))).QueueUrl!;
  });

  /** Makes the calls in a process that knows what `attachRecorder`, `attachReporter` and `attachNominator` would tell a function. */
  async function call(...calls: Call[]): Promise<void> {
    const driver = spawn(command!, args, {
      stdio: ['pipe', 'ignore', 'pipe'],
      env: {
        ...process.env,
        AWS_REGION: 'us-east-1',
        AWS_DEFAULT_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
        AWS_SECRET_ACCESS_KEY: 'example',
        AWS_ENDPOINT_URL_SQS: sqs.url,
        AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
        RUNNER_TRACKER_TABLE: table,
        RUNNER_TRACKER_TTL_SECONDS: String(LEDGER_TTL_SECONDS),
        JOB_ASSIGNMENT_QUEUE_URL: queueUrl,
        RUNNER_NOMINATION_QUEUE_URL: queueUrl,
      },
    });
    driver.stdin.end(JSON.stringify(calls));
    const [complaint, status] = await Promise.all([text(driver.stderr), new Promise((resolve) => driver.once('close', resolve))]);
    if (status !== 0) throw new Error(`the driver for ${language} ended with ${String(status)}: ${complaint}`);
  }

  const recorded = (jobId: number) => new JobLedger({ client: tables, table, ttlSeconds: 1, deadline: Deadline.after(60_000) }).job(jobId);

  async function received() {
    const { Messages = [] } = await queues.send(new ReceiveMessageCommand({
      QueueUrl: queueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['MessageGroupId', 'MessageDeduplicationId'],
    }));
    return Messages.map(({ Body, Attributes }) => ({ body: Body!, group: Attributes!.MessageGroupId, id: Attributes!.MessageDeduplicationId }));
  }

  behaves('a recorded runner stands in the ledger as the judge reads it, for as long as it is told', async () => {
    const before = Math.floor(Date.now() / 1000);
    await call({ recipe: 'recordRunner', jobId: JOB, runnerName: 'app-1', labels: ['linux', 'large', 'linux'] });

    const job = (await recorded(JOB))!;
    expect({ ...job, labels: [...job.labels!].sort() }).toEqual({ id: JOB, runners: ['app-1'], labels: ['large', 'linux'] });
    const { Item } = await tables.send(new GetItemCommand({ TableName: table, Key: { [LEDGER_ATTRIBUTES.key]: { S: LEDGER_KEYS.job(JOB) } } }));
    const { key, runners, labels, ttl } = LEDGER_ATTRIBUTES;
    expect(Object.keys(Item!).sort()).toEqual([key, runners, labels, ttl].sort());
    const lifetime = Number(Item![ttl]!.N) - before;
    expect(lifetime).toBeGreaterThanOrEqual(LEDGER_TTL_SECONDS);
    expect(lifetime).toBeLessThan(LEDGER_TTL_SECONDS + 60);
  });

  behaves('a runner that is recorded twice counts once, a second one is added, and unknown labels are left out', async () => {
    const record = (runnerName: string): Call => ({ recipe: 'recordRunner', jobId: 7, runnerName });
    await call(record('app-1'), record('app-1'), record('app-2'));

    const job = (await recorded(7))!;
    expect({ ...job, runners: [...job.runners].sort() }).toEqual({ id: 7, runners: ['app-1', 'app-2'], labels: undefined });
  });

  behaves('a reported assignment says what our own webhook would say, under the ids of the contract', async () => {
    await call({ recipe: 'reportAssignment', payload: PAYLOAD });

    const [{ body, group, id }, ...others] = await received() as [Awaited<ReturnType<typeof received>>[0]];
    expect(others).toEqual([]);
    const { startedAt, ...report } = parseReport(body);
    const { startedAt: expected, ...same } = parseWebhookBody(JSON.stringify(PAYLOAD))!;
    expect(report).toEqual(same);
    expect(Date.parse(startedAt!)).toBe(Date.parse(expected!));
    expect([group, id]).toEqual(['app-1', reportDeduplicationId(report)]);
    // and nothing that the contract does not know
    expect(Object.keys(JSON.parse(body)).sort()).toEqual(Object.keys({ ...report, startedAt }).sort());
  });

  behaves('a webhook that is redelivered is one report', async () => {
    await call({ recipe: 'reportAssignment', payload: PAYLOAD }, { recipe: 'reportAssignment', payload: PAYLOAD });
    expect(await received()).toHaveLength(1);
  });

  behaves("other actions, runners without a name and GitHub's own runners are not reported", async () => {
    const ofRunner = (runner_name: string | null) => ({ ...PAYLOAD, workflow_job: { ...PAYLOAD.workflow_job, runner_name } });
    const payloads = [{ ...PAYLOAD, action: 'queued' }, { ...PAYLOAD, action: 'completed' }, ofRunner(null), ofRunner(''), ofRunner('GitHub Actions 5')];
    await call(...payloads.map((payload): Call => ({ recipe: 'reportAssignment', payload })));
    expect(await received()).toEqual([]);
  });

  behaves('a nomination is one as the janitor reads it, under the ids of the contract', async () => {
    await call({ recipe: 'nominate', runnerName: 'gh-i-0123456789abcdef0' });

    const [{ body, group, id }, ...others] = await received() as [Awaited<ReturnType<typeof received>>[0]];
    expect(others).toEqual([]);
    expect(parseCandidate(body)).toMatchObject({ name: 'gh-i-0123456789abcdef0', registration: undefined, evidence: undefined });
    expect(JSON.parse(body)).toEqual({ version: 1, kind: 'nomination', runnerName: 'gh-i-0123456789abcdef0' });
    expect([group, id]).toEqual(['gh-i-0123456789abcdef0', 'nomination#gh-i-0123456789abcdef0']);
  });
});

/** Larger than 32 bits, as GitHub's ids are. */
const JOB = 123456789012;

const PAYLOAD = {
  action: 'in_progress',
  repository: { full_name: 'acme/app' },
  workflow_job: { id: JOB, run_id: 98765432109, runner_name: 'app-1', started_at: '2026-05-01T10:00:00Z', labels: ['self-hosted', 'large'] },
};

describe('the sources of the recipes', () => {
  const complaints = (command: string, ...args: string[]) => {
    const { error, status, stdout, stderr } = spawnSync(command, args, { cwd: path.join(ROOT, 'examples', 'recipes'), encoding: 'utf8' });
    return error ? 'missing' : `${status}${stdout}${stderr}`;
  };
  const parse = 'import ast, sys; [ast.parse(open(name).read(), name) for name in sys.argv[1:]]';
  const python = complaints('python3', '-c', parse, 'record_and_report.py', 'nominate.py');
  const gofmt = complaints('gofmt', '-l', 'go', DRIVERS);

  (python === 'missing' ? test.skip : test)(`in Python compile${python === 'missing' ? ' (skipped, needs python3)' : ''}`, () => {
    expect(python).toBe('0');
  });

  (gofmt === 'missing' ? test.skip : test)(`in Go are formatted${gofmt === 'missing' ? ' (skipped, needs gofmt)' : ''}`, () => {
    expect(gofmt).toBe('0');
  });
});
