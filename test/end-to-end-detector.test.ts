import { synthesiseRunnerStack, SHOP } from '../examples/demo/runner-app';
import { DetectorStage, markerLine } from './support/cloud/detector-stage';

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

async function reported(runner: string, repository: string, jobId: number, by: 'log' | 'webhook'): Promise<void> {
  const job = stage.pickUp(runner, repository, jobId);
  if (by === 'log') await stage.log(markerLine(runner, repository, runOf(jobId)));
  else expect(await stage.webhook('in_progress', repository, job)).toBe(202);
}

const outsiderJob = (jobId: number) => stage.github.addJob(SHOP.outsider, { id: jobId, run_id: runOf(jobId) });
const runners = () => stage.cloud.stepFunctions.all().map(({ name }) => name);
const judge = () => stage.cloud.function('Judge');
const said = (message: RegExp) => judge().records.filter((record) => message.test(String(record.message)));

test.each(['log', 'webhook'] as const)('case 30: a theft that the %s reports costs one replacement with the same input, byte for byte, and names the thief', async (by) => {
  await stage.deploy(assembly);
  await expectJob(100, 'R1');
  outsiderJob(200);
  await reported('R1', SHOP.outsider, 200, by);
  await stage.judgeAll();
  expect(runners()).toEqual(['R1', 'R1-r1']);
  expect(stage.cloud.stepFunctions.find('R1-r1')!.input).toBe(inputFor(100));
  expect(judge().metrics).toEqual({ StolenByOutsider: 1, Replaced: 1 });
  expect(said(/stolen/)).toMatchObject([{ runner: 'R1', startedForJob: 100, thief: { repository: SHOP.outsider, runId: runOf(200), jobId: 200 }, replacement: { name: 'R1-r1' } }]);
});
