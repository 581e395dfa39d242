import type { RequestListener } from 'node:http';
import { synthesiseFixture } from './fixture/fixture-assembly';
import type { Command } from './fixture/producer.lambda';
import { ACCOUNT, LocalCloud } from './local-cloud';
import { VirtualClock } from './virtual-clock';

const github: RequestListener = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ host: request.headers.host, path: request.url }));
};

jest.setTimeout(60_000);

let assembly: string;
let cloud: LocalCloud;

beforeAll(() => { assembly = synthesiseFixture(); });

beforeEach(async () => {
  cloud = await LocalCloud.start({ clock: new VirtualClock(), github, compression: 20 });
  await cloud.deploy(assembly);
});

afterEach(async () => {
  await cloud.stop();
  expect(cloud.gateway.failures).toEqual([]);
});

const ask = (command: Command) => cloud.function('Producer').invoke(command);
const heard = () => cloud.function('Consumer').records;
const queueUrl = (part: string) => cloud.template.ref(cloud.template.ofType('AWS::SQS::Queue').find(({ logicalId }) => logicalId.startsWith(part))!.logicalId);

describe('time', () => {
  test('a scheduled message arrives once the delay of the template has passed, and not before', async () => {
    expect(await cloud.runSchedules()).toMatchObject([{ kind: 'returned', value: { Successful: [{ Id: '1' }] } }]);
    await cloud.clock.advance(890);
    await cloud.settle();
    expect(heard()).toEqual([]);
    await cloud.clock.advance(10);
    await cloud.settle();
    expect(heard()).toMatchObject([{ body: 'scheduled', group: 'scheduled', receives: '1' }]);
    expect(heard()[0]!.age).toBeGreaterThanOrEqual(900_000);
    expect(heard()[0]!.age).toBeLessThan(910_000);
  });

  test('moves inside a process that is warm', async () => {
    const before = await ask({ do: 'facts' });
    await cloud.clock.advance(3600);
    const after = await ask({ do: 'facts' });
    const [first, second] = [before, after].map((result) => (result as { value: { pid: number; now: number } }).value);
    expect(second!.pid).toBe(first!.pid);
    expect(second!.now - first!.now).toBeGreaterThanOrEqual(3_600_000);
    expect(second!.now - first!.now).toBeLessThan(3_610_000);
  });

  test('short waits are shortened', async () => {
    const slept = await ask({ do: 'sleep', milliseconds: 2000 }) as { value: number };
    expect(slept.value).toBeGreaterThanOrEqual(95);
    expect(slept.value).toBeLessThan(1500);
  });

  test('a long wait ends when the clock is moved to its end, of which the clock is told', async () => {
    const wakeAt = new Promise<number>((resolve) => { cloud.clock.onSleep(resolve); });
    const slept = ask({ do: 'sleep', milliseconds: 240_000 }) as Promise<{ value: number }>;
    await cloud.clock.advance((await wakeAt - cloud.clock.now()) / 1000);
    expect((await slept).value).toBeLessThan(20_000);
  });
});

describe('the queue', () => {
  test('names the session of the role that has sent a message, by its unique id, and so does a redelivery', async () => {
    await ask({ body: 'fail' });
    for (const seconds of [900, 720]) {
      await cloud.clock.advance(seconds);
      await cloud.settle();
    }
    const role = cloud.template.only('AWS::IAM::Role', 'Producer').logicalId;
    const sender = `${cloud.template.attribute(role, 'RoleId')}:${cloud.function('Producer').declared.name}`;
    expect(sender).toMatch(/^AROA[0-9A-F]{17}:/);
    expect(heard().map((record) => record.sender)).toEqual([sender, sender]);
  });

  test('a returned message comes back after its visibility timeout and ends in the dead-letter queue', async () => {
    await ask({ body: 'fail' });
    await ask({ body: 'fine' });
    for (const seconds of [900, 720, 720, 720]) {
      await cloud.clock.advance(seconds);
      await cloud.settle();
    }
    expect(heard().filter(({ body }) => body === 'fine')).toHaveLength(1);
    expect(heard().filter(({ body }) => body === 'fail').map(({ receives }) => receives)).toEqual(['1', '2', '3']);
    expect((await cloud.sqs.contents(queueUrl('Queue'))).bodies).toEqual([]);
    expect((await cloud.sqs.contents(queueUrl('DeadLetters'))).bodies).toEqual(['fail']);
  });

  test('a batch whose handler throws comes back whole', async () => {
    await ask({ body: 'throw' });
    await cloud.clock.advance(900);
    await cloud.settle();
    expect((await cloud.sqs.contents(queueUrl('Queue'))).inFlight).toHaveLength(1);
  });

  test('keeps its messages when the stack is updated', async () => {
    await ask({ body: 'before' });
    await cloud.deploy(assembly);
    await cloud.clock.advance(900);
    await cloud.settle();
    expect(heard()).toMatchObject([{ body: 'before' }]);
  });
});

describe('processes', () => {
  test('see the variables of the template and of Lambda, and nothing of this machine', async () => {
    const { value } = await ask({ do: 'facts' }) as { value: { variables: string[] } };
    expect(value.variables).toEqual(expect.arrayContaining(['QUEUE_URL', 'SECRET_ARN', 'AWS_REGION', 'AWS_LAMBDA_FUNCTION_NAME']));
    expect(value.variables).not.toContain('PATH');
    expect(value.variables).not.toContain('HOME');
  });

  test('kill -9 loses the invocation, and the next one starts a fresh process', async () => {
    const lost = ask({ do: 'hang' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await cloud.function('Producer').kill();
    expect(await lost).toEqual({ kind: 'died' });
    expect(await ask({ do: 'facts' })).toMatchObject({ kind: 'returned' });
  });

  test('are ended by the timeout of the template', async () => {
    expect(await ask({ do: 'hang' })).toEqual({ kind: 'timedOut' });
  });

  test('report what a handler throws', async () => {
    expect(await ask({ do: 'throw' })).toMatchObject({ kind: 'threw', errorType: 'TypeError', errorMessage: 'as asked' });
  });

  test('write metrics that are read from their log', async () => {
    await ask({ do: 'metric' });
    await ask({ do: 'metric' });
    expect(cloud.function('Producer').metrics).toEqual({ Seen: 10 });
  });
});

describe('the network', () => {
  test('GitHub is reached under its real address, over TLS', async () => {
    expect(await ask({ do: 'fetch', url: 'https://api.github.com/zen?a=1' })).toMatchObject({ value: { host: 'api.github.com', path: '/zen?a=1' } });
    expect(cloud.proxy.refused).toEqual([]);
  });

  test('every other host is refused and noted', async () => {
    expect(await ask({ do: 'fetch', url: 'https://elsewhere.example/' })).toMatchObject({ kind: 'threw' });
    expect(cloud.proxy.refused).toEqual(['elsewhere.example:443']);
  });
});

describe('permissions', () => {
  test('an allowed call is answered and recorded with its caller, resource and region', async () => {
    cloud.ec2.add({ id: 'i-1', region: 'us-east-1', state: 'stopped' });
    expect(await ask({ do: 'instances', region: 'us-east-1', ids: ['i-1', 'i-2'] })).toMatchObject({ value: ['i-1 stopped'] });
    expect(cloud.gateway.recorder.calls.filter(({ action }) => action.startsWith('ec2'))).toMatchObject([
      { principal: cloud.function('Producer').declared.name, action: 'ec2:DescribeInstances', resources: ['*'], region: 'us-east-1', allowed: true },
    ]);
  });

  test('a region that the policy does not list is denied', async () => {
    expect(await ask({ do: 'instances', region: 'ap-south-1' })).toMatchObject({ kind: 'threw', errorType: 'UnauthorizedOperation' });
    expect(cloud.gateway.recorder.denied).toMatchObject([{ action: 'ec2:DescribeInstances', region: 'ap-south-1' }]);
  });

  test('an allowed action that nothing used is named, and one that was used is not', async () => {
    const producer = cloud.function('Producer').declared.name;
    const unused = () => cloud.gateway.recorder.unused(cloud.gateway.principals.values()).filter((line) => line.startsWith(producer));
    cloud.secrets.put(cloud.template.ref(cloud.template.ofType('AWS::SecretsManager::Secret')[0]!.logicalId), 'value');
    expect(await ask({ do: 'secret' })).toMatchObject({ value: 'value' });
    await ask({ do: 'send' });
    expect(unused()).toEqual([`${producer}: ec2:DescribeInstances`]);
    await ask({ do: 'instances' });
    expect(unused()).toEqual([]);
  });

  test('the poller uses the permissions of the consumer', async () => {
    await ask({ body: 'fine' });
    await cloud.clock.advance(900);
    await cloud.settle();
    const consumer = cloud.function('Consumer').declared;
    const arn = cloud.template.attribute(cloud.template.ofType('AWS::SQS::Queue').find(({ logicalId }) => logicalId.startsWith('Queue'))!.logicalId, 'Arn');
    expect(arn).toContain(`:${ACCOUNT}:`);
    expect(cloud.gateway.recorder.calls.filter(({ action }) => action === 'sqs:DeleteMessage')).toMatchObject([
      { principal: consumer.name, action: 'sqs:DeleteMessage', resources: [arn], region: 'eu-west-1', allowed: true },
    ]);
  });
});

describe('faults', () => {
  test.each([
    [{ error: 'RequestLimitExceeded', status: 503 }, { kind: 'threw', errorType: 'RequestLimitExceeded' }],
    [{ error: 'AuthFailure', status: 401 }, { kind: 'threw', errorType: 'AuthFailure' }],
    ['cutBody', { kind: 'threw' }],
    ['reset', { kind: 'threw' }],
    ['hang', { kind: 'timedOut' }],
  ] as const)('%j hits one call and then is over', async (effect, expected) => {
    cloud.ec2.add({ id: 'i-1', region: 'eu-west-1' });
    const fault = cloud.gateway.fault({ service: 'ec2', times: 1 }, effect);
    expect(await ask({ do: 'instances', ids: ['i-1'] })).toMatchObject(expected);
    expect(fault.hits).toBe(1);
    expect(await ask({ do: 'instances', ids: ['i-1'] })).toMatchObject({ value: ['i-1 running'] });
  });
});
