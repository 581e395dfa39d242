import { endingMachine, nominate } from '../../../lambda-src/janitor/nominate';
import { machineId, MINUTE, World } from '../../support/janitor/world';

const TAGS = { role: 'runner' };

let world: World;
beforeEach(() => { world = new World(); });

const stateChange = (state: string) => ({
  'version': '0',
  'source': 'aws.ec2',
  'detail-type': 'EC2 Instance State-change Notification',
  'region': 'eu-west-1',
  'detail': { 'instance-id': machineId(7), state },
});

test.each(['shutting-down', 'terminated'])('a machine that is %s is ending', (state) => {
  expect(endingMachine(stateChange(state))).toBe(machineId(7));
});

test.each([
  stateChange('running'), stateChange('stopped'), stateChange('stopping'), undefined, null, {}, 'text', { source: 'aws.ec2' },
  { source: 'aws.events', detail: stateChange('terminated').detail }, { source: 'aws.ec2', detail: { 'instance-id': 7, 'state': 'terminated' } },
])('no machine is ending in %j', (event) => {
  expect(endingMachine(event)).toBeUndefined();
});

test('the registration of a machine that was terminated is gone after the second look alone', async () => {
  const { id } = world.ghost();
  world.machines.set(machineId(id), 'terminated');
  world.tags.set(machineId(id), TAGS);
  await nominate(world.ports(30), machineId(id), TAGS);
  expect(world.requests).toEqual([]);
  expect(await world.confirmAll(15 * MINUTE)).toEqual({ deleted: 1 });
});

test('a machine without the tags costs GitHub no request, now or later', async () => {
  world.machines.set(machineId(7), 'terminated');
  world.tags.set(machineId(7), { role: 'database' });
  await nominate(world.ports(30), machineId(7), TAGS);
  await world.confirmAll();
  expect(world.requests).toEqual([]);
});

test('where no tags are configured, no machine is taken for ours', async () => {
  world.tags.set(machineId(7), TAGS);
  await nominate(world.ports(30), machineId(7), {});
  expect(world.queue).toEqual([]);
});

test('a machine with the tags is nominated', async () => {
  world.tags.set(machineId(7), { role: 'runner', team: 'ci' });
  await nominate(world.ports(30), machineId(7), TAGS);
  expect(world.queue).toHaveLength(1);
});

test('a queue that takes nothing makes the function fail, so that somebody notices', async () => {
  const ports = world.ports(30);
  world.tags.set(machineId(7), TAGS);
  await expect(nominate({ ...ports, queue: { ...ports.queue, nominate: async (names) => names } }, machineId(7), TAGS)).rejects.toThrow(machineId(7));
});
