import { DEMO, synthesiseDemo } from '../examples/demo/demo-app';
import type { InstanceState } from './support/cloud/ec2-service';
import { JanitorStage } from './support/cloud/janitor-stage';

/** The ends of machines, from EC2's event to the DELETE, on the synthesised app and its bundled handlers. No schedule runs here. */

jest.setTimeout(60_000);

const TAGS = { fleet: 'runners' };
const OURS = 'i-0000000000000000a';
const OTHERS = 'i-0000000000000000b';

let assembly: string;
let stage: JanitorStage;
let group: number;

beforeAll(() => { assembly = synthesiseDemo({ dryRun: false, onTermination: { machineTags: TAGS } }); });

beforeEach(async () => {
  stage = await JanitorStage.start({ organization: DEMO.organization, compression: 50 });
  group = DEMO.groups.map((name) => stage.github.addGroup(DEMO.organization, { name }))[0]!;
  await stage.deploy(assembly);
});

afterEach(async () => {
  await stage.stop();
  expect(stage.cloud.gateway.failures).toEqual([]);
  expect(stage.cloud.gateway.recorder.denied).toEqual([]);
});

/** A runner on a machine that has these tags. */
function addRunner(machine: string, tags: Readonly<Record<string, string>> = TAGS): number {
  stage.cloud.ec2.add({ id: machine, region: DEMO.regions[0], tags });
  return stage.github.addRunner(DEMO.organization, group, { name: `${DEMO.prefix}${machine}` }).id;
}

/** The machine gets into a state, and EC2 tells of it. */
async function becomes(machine: string, state: InstanceState): Promise<void> {
  stage.cloud.ec2.setState(machine, state);
  const results = await stage.cloud.putEvent('aws.ec2', 'EC2 Instance State-change Notification', { 'instance-id': machine, state });
  expect(results.filter(({ kind }) => kind !== 'returned')).toEqual([]);
}

test('the registration of a machine that ends is gone after the delay of the queue, with one DELETE', async () => {
  const runner = addRunner(OURS);
  await becomes(OURS, 'shutting-down');
  await becomes(OURS, 'terminated');
  expect(stage.github.requests).toEqual([]);
  await stage.secondLook();
  expect(stage.github.deletions).toEqual([runner]);
  expect(stage.cloud.function('Confirmation').metrics).toEqual({ Deleted: 1 });
});

test('a machine that is not ours costs no request to GitHub', async () => {
  addRunner(OTHERS, { fleet: 'databases' });
  await becomes(OTHERS, 'shutting-down');
  await becomes(OTHERS, 'terminated');
  await stage.secondLook();
  expect(stage.github.requests).toEqual([]);
  expect(stage.github.runners(DEMO.organization)).toHaveLength(1);
});

test('a machine that only stops nominates nobody', async () => {
  addRunner(OURS);
  await becomes(OURS, 'stopping');
  await becomes(OURS, 'stopped');
  await stage.secondLook();
  expect(stage.github.requests).toEqual([]);
});

test('an event alone deletes nothing: a machine that no region knows any more at the second look is left to the schedule', async () => {
  const runner = addRunner(OURS);
  await becomes(OURS, 'terminated');
  stage.cloud.ec2.forget(OURS);
  await stage.secondLook();
  expect(stage.github.deletions).toEqual([]);
  await stage.clock.advance(30 * 60);
  await stage.firstLook();
  await stage.secondLook();
  expect(stage.github.deletions).toEqual([runner]);
});
