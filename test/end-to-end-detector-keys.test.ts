import { SHOP } from '../examples/demo/runner-app';
import { DetectorStage, markerLine } from './support/cloud/detector-stage';
import { editedAssembly, withoutAction } from './support/cloud/edited-assembly';
import { synthesiseEncryptedDetector } from './support/cloud/encrypted-assemblies';

/** A detector with customer managed keys for its queue, both secrets and the state machine: AWS uses them with the permissions of the functions. */

jest.setTimeout(60_000);

let assembly: string;
let stage: DetectorStage;

beforeAll(() => { assembly = synthesiseEncryptedDetector(); });

beforeEach(async () => {
  stage = await DetectorStage.start({ organization: SHOP.organization, repositories: [SHOP.repository, SHOP.outsider], compression: 50 });
});

afterEach(async () => {
  await stage.stop();
  expect(stage.cloud.gateway.failures).toEqual([]);
  expect(stage.cloud.proxy.refused).toEqual([]);
});

/** A stolen runner, reported in both ways. */
async function theft(): Promise<void> {
  stage.github.addJob(SHOP.repository, { id: 100, run_id: 10_100 });
  stage.github.addJob(SHOP.outsider, { id: 900, run_id: 10_900 });
  await stage.startRunner('R1', '{"jobId":100}');
  const job = stage.pickUp('R1', SHOP.outsider, 900);
  await stage.log(markerLine('R1', SHOP.outsider, 10_900));
  await stage.webhook('in_progress', SHOP.outsider, job);
  await stage.judgeAll();
}

test('every call is allowed, those to KMS too, and every allowed action is used with every key', async () => {
  await stage.deploy(assembly);
  await theft();
  expect(stage.cloud.stepFunctions.all().map(({ name }) => name)).toEqual(['R1', 'R1-r1']);
  const { recorder, principals } = stage.cloud.gateway;
  expect(recorder.denied).toEqual([]);
  expect(recorder.unused(principals.values())).toEqual([]);
});

test.each([
  ['Intake', 'kms:GenerateDataKey', 'QueueKey'],
  ['Intake', 'kms:Decrypt', 'QueueKey'],
  ['Webhook', 'kms:GenerateDataKey', 'QueueKey'],
  ['Webhook', 'kms:Decrypt', 'QueueKey'],
  ['Webhook', 'kms:Decrypt', 'WebhookKey'],
  ['Judge', 'kms:Decrypt', 'QueueKey'],
  ['Judge', 'kms:Decrypt', 'AppKey'],
  ['Judge', 'kms:Decrypt', 'MachineKey'],
  ['Judge', 'kms:GenerateDataKey', 'MachineKey'],
])('%s needs %s with %s', async (role, action, key) => {
  await stage.deploy(editedAssembly(assembly, withoutAction(action, { role: `${role}Role`, resource: key })));
  // which step fails, and whether loudly, depends on the permission
  await theft().catch(() => undefined);
  const denied = stage.cloud.gateway.recorder.denied.filter((call) => call.action === action && call.principal.includes(role));
  expect(denied.flatMap(({ resources }) => resources).filter((each) => each.includes(key))).not.toEqual([]);
});
