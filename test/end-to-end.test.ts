import { DEMO, synthesiseDemo } from '../examples/demo/demo-app';
import { declaredQueues } from './support/cloud/declared';
import { impatient, impatientLooks } from './support/cloud/early-candidates';
import { editedAssembly, withoutAction } from './support/cloud/edited-assembly';
import { BETWEEN_LOOKS_SECONDS, JanitorStage } from './support/cloud/janitor-stage';

/** The synthesised app and its bundled handlers on the local cloud, as the demo plays them, with a few registrations each. */

jest.setTimeout(120_000);

let armed: string;
let stage: JanitorStage;
let group: number;
let serial: number;

beforeAll(() => { armed = synthesiseDemo({ dryRun: false }); });

beforeEach(async () => {
  stage = await JanitorStage.start({ organization: DEMO.organization, compression: 50 });
  group = DEMO.groups.map((name) => stage.github.addGroup(DEMO.organization, { name }))[0]!;
  serial = 0;
});

afterEach(async () => {
  await stage.stop();
  expect(stage.cloud.gateway.failures).toEqual([]);
  // no token can have gone anywhere but to GitHub
  expect(stage.cloud.proxy.refused).toEqual([]);
});

/** A registration whose machine no region knows. */
function addGhost(): number {
  const machine = `i-${(serial++).toString(16).padStart(17, '0')}`;
  return stage.github.addRunner(DEMO.organization, group, { name: `${DEMO.prefix}${machine}` }).id;
}

/** GitHub holds it for offline and idle as well, but its machine runs. */
function addLiving(): number {
  const machine = `i-${(serial++).toString(16).padStart(17, 'f')}`;
  stage.cloud.ec2.add({ id: machine, region: DEMO.regions[serial % 2]! });
  return stage.github.addRunner(DEMO.organization, group, { name: `${DEMO.prefix}${machine}` }).id;
}

async function bothLooks(): Promise<void> {
  await stage.firstLook();
  await stage.secondLook();
}

const registered = () => stage.github.runners(DEMO.organization).map(({ id }) => id);
const discovery = () => stage.cloud.function('Discovery');
const confirmation = () => stage.cloud.function('Confirmation');

describe('the word of a first look', () => {
  /** Somebody who may write to the queue writes what a first look of ours has written, and claims more. */
  async function forge(queueUrl: string, body: string): Promise<void> {
    stage.cloud.gateway.principals.set('AKIA-watcher', { name: 'watcher', account: '000000000000', userId: 'AROAWATCHER:watcher', statements: undefined });
    await stage.cloud.sendMessage('watcher', queueUrl, JSON.stringify({ ...JSON.parse(body) as object, evidence: 'terminated' }), 'forged');
  }

  test('that it has seen a machine terminated is believed when SQS names its role as the sender, and from nobody else', async () => {
    const absent = addGhost();
    const terminated = addGhost();
    const machine = `i-${(serial - 1).toString(16).padStart(17, '0')}`;
    stage.cloud.ec2.add({ id: machine, region: DEMO.regions[0], state: 'terminated' });
    await stage.deploy(armed);
    await stage.firstLook();
    stage.cloud.ec2.forget(machine);
    const queueUrl = discovery().declared.environment.CONFIRMATION_QUEUE_URL!;
    const { bodies } = await stage.cloud.sqs.contents(queueUrl);
    await forge(queueUrl, bodies.find((body) => body.includes('"absent"'))!);
    // an online runner without a machine: from now on only what was seen terminated may go
    const suspect = addGhost();
    stage.github.updateRunner(DEMO.organization, suspect, { status: 'online' });
    await stage.secondLook();
    expect(confirmation().metrics).toEqual({ ScopeSuspect: 1, EvidenceInsufficient: 1, Deleted: 1 });
    expect(stage.github.deletions).toEqual([terminated]);
    expect(registered()).toEqual([absent, suspect]);
  });
});

describe('dry run and armed', () => {
  test('cases 1 and 29: the default reports what would go and deletes nothing; armed, exactly that goes', async () => {
    const ghosts = [addGhost(), addGhost()];
    const living = addLiving();
    await stage.deploy(synthesiseDemo());
    await bothLooks();
    expect(confirmation().metrics).toEqual({ WouldDelete: 2 });
    expect(registered()).toEqual([...ghosts, living]);
    await stage.clock.advance(BETWEEN_LOOKS_SECONDS);
    await stage.deploy(armed);
    await bothLooks();
    expect(confirmation().metrics).toEqual({ Deleted: 2 });
    expect(registered()).toEqual([living]);
  });

  test('an armed run at once after a dry run is not swallowed by the deduplication of the queue', async () => {
    addGhost();
    await stage.deploy(synthesiseDemo());
    await stage.firstLook();
    await stage.deploy(armed);
    await bothLooks();
    expect(confirmation().metrics).toEqual({ NominatedInDryRun: 1, Deleted: 1 });
  });

  test('a candidate of a dry run is not deleted by a janitor that has been armed since', async () => {
    const ghost = addGhost();
    await stage.deploy(synthesiseDemo());
    await stage.firstLook();
    await stage.deploy(armed);
    await stage.secondLook();
    expect(confirmation().metrics).toEqual({ NominatedInDryRun: 1 });
    expect(registered()).toEqual([ghost]);
  });
});

describe('the permission proof', () => {
  async function useEverything(): Promise<void> {
    addGhost();
    addLiving();
    await impatientLooks(stage);
  }

  test('every call is allowed by the synthesised policies, and every allowed action is used', async () => {
    await stage.deploy(impatient(armed));
    await useEverything();
    expect(confirmation().metrics).toEqual({ TooEarly: 1, Deleted: 1 });
    const { recorder, principals } = stage.cloud.gateway;
    expect(recorder.denied).toEqual([]);
    expect(recorder.unused(principals.values())).toEqual([]);
  });

  test.each([
    'secretsmanager:GetSecretValue', 'ec2:DescribeInstances', 'sqs:SendMessage',
    'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes',
  ])('names %s when the policies lack it, and what has a machine is kept', async (action) => {
    await stage.deploy(editedAssembly(impatient(armed), withoutAction(action)));
    // which step fails, and whether loudly, depends on the action
    await useEverything().catch(() => undefined);
    expect(stage.cloud.gateway.recorder.denied.map((call) => call.action)).toContain(action);
    expect(stage.github.runners(DEMO.organization).filter(({ name }) => name.includes('i-ffff'))).toHaveLength(1);
  });
});

describe('kill -9', () => {
  test.each(['GitHub', 'AWS'])('of the first look at any request to %s: the next run finishes the work', async (whose) => {
    const ghost = addGhost();
    const living = addLiving();
    await stage.deploy(armed);
    const kill = () => void discovery().kill();
    let killed = 0;
    for (;;) {
      const match = { times: 1, skip: killed };
      const fault = whose === 'GitHub' ? stage.github.fault(match, kill) : stage.cloud.gateway.fault({ ...match, principal: discovery().declared.name }, kill);
      const [result] = await stage.cloud.runSchedules();
      fault.clear();
      if (fault.hits === 0) break;
      expect(result).toEqual({ kind: 'died' });
      killed++;
    }
    expect(killed).toBeGreaterThanOrEqual(3);
    await stage.secondLook();
    expect(registered()).toEqual([living]);
    expect(stage.github.deletions).toEqual([ghost]);
  });

  test.each(['GitHub', 'AWS'])('of the second look at any request to %s: the message comes back and the work is finished', async (whose) => {
    const living = addLiving();
    await stage.deploy(armed);
    const { timeoutSeconds, name } = confirmation().declared;
    const kill = () => void confirmation().kill();
    let killed = 0;
    for (;;) {
      addGhost();
      await stage.firstLook();
      // a cold start, so that logging in is among the requests
      await confirmation().kill();
      const match = { times: 1, skip: killed };
      const faults = whose === 'GitHub'
        ? [stage.github.fault(match, kill)]
        // the poller has the same access key, but is not in the function's process
        : ['ec2', 'secretsmanager'].map((service) => stage.cloud.gateway.fault({ ...match, principal: name, service }, kill));
      await stage.secondLook();
      faults.forEach((fault) => fault.clear());
      if (faults.every(({ hits }) => hits === 0)) break;
      killed++;
      // visibility is six times the function's timeout
      await stage.clock.advance(6 * timeoutSeconds);
      await stage.cloud.settle();
      expect(registered()).toEqual([living]);
    }
    expect(killed).toBeGreaterThanOrEqual(whose === 'GitHub' ? 4 : 2);
    expect(registered()).toEqual([living]);
  });
});

describe('trouble', () => {
  test('case 5: a region that does not answer keeps every machine alive, loudly, and afterwards the ghost goes', async () => {
    const ghost = addGhost();
    await stage.deploy(armed);
    const fault = stage.cloud.gateway.fault({ service: 'ec2', region: DEMO.regions[1] }, { error: 'RequestLimitExceeded', status: 503 });
    await expect(stage.firstLook()).rejects.toThrow('none of 1 machines could be looked up');
    await stage.secondLook();
    expect(registered()).toEqual([ghost]);
    fault.clear();
    await bothLooks();
    expect(registered()).toEqual([]);
  });

  test('case 17: a DELETE that answers 502 for ever ends in the dead-letter queue, and when that is over the next run deletes', async () => {
    const ghost = addGhost();
    await stage.deploy(armed);
    const fault = stage.github.fault({ method: 'DELETE' }, { status: 502 });
    await bothLooks();
    for (let receives = 1; receives <= 5; receives++) {
      await stage.clock.advance(6 * confirmation().declared.timeoutSeconds);
      await stage.cloud.settle();
    }
    const [deadLetters, queue] = declaredQueues(stage.cloud.template);
    expect((await stage.cloud.sqs.contents(deadLetters!.url)).bodies.map((body) => JSON.parse(body).runner.id)).toEqual([ghost]);
    expect((await stage.cloud.sqs.contents(queue!.url)).bodies).toEqual([]);
    expect(fault.hits).toBe(5);
    expect(registered()).toEqual([ghost]);
    fault.clear();
    await bothLooks();
    expect(registered()).toEqual([]);
  });

  test('a secret that cannot be read fails the first look with a message, and no part of a key is ever logged', async () => {
    addGhost();
    await stage.deploy(armed);
    const fault = stage.cloud.gateway.fault({ service: 'secretsmanager' }, { error: 'ResourceNotFoundException', status: 400 });
    await expect(stage.firstLook()).rejects.toThrow(/the first look failed/);
    fault.clear();
    await stage.clock.advance(30 * 60);
    await bothLooks();
    expect(registered()).toEqual([]);
    const secrets = [...stage.privateKey.split('\n').slice(1, -2), ...stage.github.requests.flatMap(({ token }) => token ?? [])];
    expect(secrets.length).toBeGreaterThan(10);
    expect(stage.cloud.logs.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
  });

  test('case 24: a message that is not ours is acknowledged and counted, and its neighbours are handled', async () => {
    addGhost();
    await stage.deploy(armed);
    const sender = discovery().declared;
    await stage.cloud.sendMessage(sender.name, sender.environment.CONFIRMATION_QUEUE_URL!, '{"not":', 'bad');
    await bothLooks();
    expect(confirmation().metrics).toEqual({ Malformed: 1, Deleted: 1 });
    expect(registered()).toEqual([]);
  });
});
