import { synthesiseRunnerStack, SHOP } from '../examples/demo/runner-app';
import { DetectorStage, markerLine } from './support/cloud/detector-stage';
import { editedAssembly, withoutAction } from './support/cloud/edited-assembly';

/** A home-made runner stack with a detector, synthesised and bundled, on the local cloud, as the demo plays it. */

jest.setTimeout(120_000);

let assembly: string;
let stage: DetectorStage;

beforeAll(() => { assembly = synthesiseRunnerStack(); });

beforeEach(async () => {
  stage = await DetectorStage.start({ organization: SHOP.organization, repositories: [SHOP.repository, SHOP.outsider], compression: 50 });
});

afterEach(async () => {
  await stage.stop();
  expect(stage.cloud.gateway.failures).toEqual([]);
  // no token can have gone anywhere but to GitHub
  expect(stage.cloud.proxy.refused).toEqual([]);
});

/** Blanks and order are of the runner stack's own choice, and must survive. */
const inputFor = (jobId: number) => `{ "repo": "shop", "jobId": ${jobId},  "owner": "acme", "labels": "linux" }`;

const runOf = (jobId: number) => jobId + 10_000;

/** A job of ours and the runner that is started for it. */
async function expectJob(jobId: number, runner: string): Promise<void> {
  stage.github.addJob(SHOP.repository, { id: jobId, run_id: runOf(jobId) });
  await stage.startRunner(runner, inputFor(jobId));
}

const outsiderJob = (jobId: number) => stage.github.addJob(SHOP.outsider, { id: jobId, run_id: runOf(jobId) });
const runners = () => stage.cloud.stepFunctions.all().map(({ name }) => name);
const judge = () => stage.cloud.function('Judge');

/** @returns the status of the webhook's answer */
async function picksUp(runner: string, repository: string, jobId: number, reportedBy: 'log' | 'webhook'): Promise<number | undefined> {
  const job = stage.pickUp(runner, repository, jobId);
  if (reportedBy === 'webhook') return stage.webhook('in_progress', repository, job);
  await stage.log(markerLine(runner, repository, runOf(jobId)));
  return undefined;
}

/** Two swapped runners and a stolen one, reported in both ways. */
async function swapAndTheft(): Promise<void> {
  await expectJob(100, 'R1');
  await expectJob(200, 'R2');
  await expectJob(300, 'R3');
  outsiderJob(900);
  await picksUp('R1', SHOP.repository, 200, 'webhook');
  await picksUp('R2', SHOP.repository, 100, 'log');
  await picksUp('R3', SHOP.outsider, 900, 'webhook');
  await stage.judgeAll();
}

test.each(['log', 'webhook'] as const)('case 30: a theft that the %s reports costs one replacement with the same input, byte for byte, and names the thief', async (by) => {
  await stage.deploy(assembly);
  await expectJob(100, 'R1');
  outsiderJob(200);
  await picksUp('R1', SHOP.outsider, 200, by);
  await stage.judgeAll();
  expect(runners()).toEqual(['R1', 'R1-r1']);
  expect(stage.cloud.stepFunctions.find('R1-r1')!.input).toBe(inputFor(100));
  expect(judge().metrics).toEqual({ StolenByOutsider: 1, Replaced: 1 });
  const said = judge().records.filter(({ verdict }) => verdict === 'stolen');
  const thief = { repository: SHOP.outsider, runId: runOf(200), jobId: 200 };
  expect(said).toMatchObject([{ runner: 'R1', startedForJob: 100, thief, replacement: { name: 'R1-r1' } }]);
});

test('case 31: two runners that swapped their jobs are left alone, and the theft beside them is replaced', async () => {
  await stage.deploy(assembly);
  await swapAndTheft();
  expect(runners()).toEqual(['R1', 'R2', 'R3', 'R3-r1']);
  expect(judge().metrics).toEqual({ StolenByOutsider: 1, Replaced: 1 });
});

test('case 35: reports that come again within five minutes and after them start and count nothing more', async () => {
  await stage.deploy(assembly);
  await expectJob(100, 'R1');
  outsiderJob(200);
  for (const pause of [0, 10 * 60]) {
    await stage.clock.advance(pause);
    for (const by of ['webhook', 'log', 'webhook'] as const) await picksUp('R1', SHOP.outsider, 200, by);
    await stage.judgeAll();
  }
  expect(runners()).toEqual(['R1', 'R1-r1']);
  expect(judge().metrics).toEqual({ StolenByOutsider: 1, Replaced: 1 });
});

test('case 36: after three replacements of one lineage the fourth theft is given up, once, and said so', async () => {
  await stage.deploy(assembly);
  await expectJob(100, 'R1');
  for (const [index, runner] of ['R1', 'R1-r1', 'R1-r2', 'R1-r3'].entries()) {
    outsiderJob(200 + index);
    await picksUp(runner, SHOP.outsider, 200 + index, 'webhook');
    await stage.judgeAll();
  }
  expect(runners()).toEqual(['R1', 'R1-r1', 'R1-r2', 'R1-r3']);
  expect(judge().metrics).toEqual({ StolenByOutsider: 4, Replaced: 3, GaveUp: 1 });
});

test('case 39: a job that prints the name of an idle runner and a repository that nobody knows starts nothing', async () => {
  await stage.deploy(assembly);
  await expectJob(100, 'R1');
  stage.github.addRunner(SHOP.organization, 1, { name: 'R1', status: 'online', busy: false });
  await stage.log(markerLine('R1', 'somebody/elsewhere', 1));
  await stage.judgeAll();
  expect(runners()).toEqual(['R1']);
  expect(judge().metrics).toEqual({ ForgedReports: 1 });
});

test('a job whose start nobody heard of is recorded from a later event, before its report is judged', async () => {
  await stage.deploy(assembly);
  await expectJob(100, 'R1');
  const fault = stage.cloud.gateway.fault({ service: 'dynamodb' }, { error: 'InternalServerError', status: 500 });
  await expectJob(200, 'R2');
  fault.clear();
  await picksUp('R1', SHOP.repository, 200, 'webhook');
  await stage.clock.advance(90);
  await stage.cloud.settle();
  await stage.endRunner('R2', 'SUCCEEDED');
  await stage.judgeAll();
  expect(runners()).toEqual(['R1', 'R2']);
  expect(judge().metrics).toEqual({});
});

test('a queue that refuses a log delivery gets it again', async () => {
  await stage.deploy(assembly);
  await expectJob(100, 'R1');
  outsiderJob(200);
  const fault = stage.cloud.gateway.fault({ action: 'SendMessage', times: 3 }, { error: 'InternalError', status: 500 });
  await picksUp('R1', SHOP.outsider, 200, 'log');
  await stage.judgeAll();
  expect(fault.hits).toBe(3);
  expect(runners()).toEqual(['R1', 'R1-r1']);
});

test('a webhook with another signature is refused without a word, and nothing is queued', async () => {
  await stage.deploy(assembly);
  await expectJob(100, 'R1');
  outsiderJob(200);
  expect(await stage.webhook('in_progress', SHOP.outsider, stage.pickUp('R1', SHOP.outsider, 200), 'a guess')).toBe(401);
  expect(await stage.reports()).toEqual([]);
  expect(stage.cloud.function('Webhook').metrics).toEqual({ BadSignatures: 1 });
});

test('observing names the thief and starts nothing, without even the permission to', async () => {
  await stage.deploy(synthesiseRunnerStack({ observeOnly: true }));
  await swapAndTheft();
  expect(runners()).toEqual(['R1', 'R2', 'R3']);
  expect(judge().metrics).toEqual({ StolenByOutsider: 1 });
  const { recorder, principals } = stage.cloud.gateway;
  expect(recorder.denied).toEqual([]);
  expect([...principals.values()].flatMap(({ statements = [] }) => statements.flatMap(({ actions }) => actions))).not.toContain('states:StartExecution');
});

describe('the permission proof', () => {
  test('every call is allowed by the synthesised policies, and every allowed action is used', async () => {
    await stage.deploy(assembly);
    await swapAndTheft();
    const { recorder, principals } = stage.cloud.gateway;
    expect(recorder.denied).toEqual([]);
    expect(recorder.unused(principals.values())).toEqual([]);
  });

  test.each([
    'states:DescribeExecution', 'states:StartExecution', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'secretsmanager:GetSecretValue',
    'sqs:SendMessage', 'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes',
  ])('names %s when the policies lack it', async (action) => {
    await stage.deploy(editedAssembly(assembly, withoutAction(action)));
    // which step fails, and whether loudly, depends on the action
    await swapAndTheft().catch(() => undefined);
    expect(stage.cloud.gateway.recorder.denied.map((call) => call.action)).toContain(action);
  });
});

describe('kill -9', () => {
  test.each(['GitHub', 'AWS'])('of the judge at any request to %s: the report comes back, and there is one replacement', async (whose) => {
    await stage.deploy(assembly);
    const kill = () => void judge().kill();
    const expected: string[] = [];
    let killed = 0;
    for (;;) {
      const jobId = 100 + killed;
      await expectJob(jobId, `R${jobId}`);
      outsiderJob(900 + killed);
      await picksUp(`R${jobId}`, SHOP.outsider, 900 + killed, 'log');
      expected.push(`R${jobId}`, `R${jobId}-r1`);
      // a cold start, so that logging in is among the requests
      await judge().kill();
      const match = { times: 1, skip: killed };
      const faults = whose === 'GitHub'
        ? [stage.github.fault(match, kill)]
        // the poller has the same access key, but is not in the function's process
        : ['secretsmanager', 'states', 'dynamodb'].map((service) => stage.cloud.gateway.fault({ ...match, principal: judge().declared.name, service }, kill));
      await stage.judgeAll();
      faults.forEach((fault) => fault.clear());
      expect(runners()).toEqual(expected);
      if (faults.every(({ hits }) => hits === 0)) break;
      killed++;
    }
    expect(killed).toBeGreaterThanOrEqual(whose === 'GitHub' ? 3 : 5);
  });
});

test('no part of a key, of a token or of the webhook secret is in any log line', async () => {
  await stage.deploy(assembly);
  await swapAndTheft();
  const secrets = [...stage.privateKey.split('\n').slice(1, -2), ...stage.github.requests.flatMap(({ token }) => token ?? []), stage.webhookSecret];
  expect(secrets.length).toBeGreaterThan(10);
  expect(stage.cloud.logs.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
});
