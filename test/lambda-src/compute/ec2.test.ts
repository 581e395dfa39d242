import type { Ec2Fault } from './ec2-server';
import { Ec2Server, ec2Error, instanceItem, xml } from './ec2-server';
import { machinesContract } from './machines-contract';
import { recordedLog } from './recorded-log';
import { ec2Machines, instanceIdOf } from '../../../lambda-src/compute/ec2';
import type { Machines } from '../../../lambda-src/janitor/ports';
import { Deadline } from '../../../lambda-src/shared/deadline';

const ID = 'i-0123456789abcdef0';
const OTHER = 'i-0123456789abcdef1';
const REGIONS = ['eu-west-1', 'us-east-1', 'us-west-2'] as const;

let server: Ec2Server;
let log: ReturnType<typeof recordedLog>;

beforeAll(async () => {
  server = await Ec2Server.start();
  process.env.AWS_ENDPOINT_URL_EC2 = server.url;
  process.env.AWS_ACCESS_KEY_ID = 'AKIDEXAMPLE';
  process.env.AWS_SECRET_ACCESS_KEY = 'example';
});

afterAll(async () => {
  await server.stop();
});

beforeEach(() => {
  server.reset();
  log = recordedLog();
});

function machinesFor(deadline = Deadline.after(60_000), regions: readonly string[] = REGIONS): Machines {
  return ec2Machines({ config: { kind: 'ec2', runnerNamePrefixes: ['p_', 'gpu-'], regions }, log })(deadline);
}

const idOf = (number: number) => `i-${number.toString(16).padStart(17, '0')}`;

machinesContract('ec2', () => {
  server.machine('us-east-1', ID, 'running');
  server.machine('us-west-2', 'i-0123abcd', 'stopped');
  server.machine('eu-west-1', OTHER, 'terminated');
  return {
    machinesFor,
    ours: [[`p_${ID}`, ID], ['gpu-i-0123abcd', 'i-0123abcd']],
    foreign: ['s390x-7', 'p_s390x-7', `p_${ID}-2`, `xp_${ID}`, ID, `p_${ID}\n`],
    present: [ID, 'i-0123abcd'],
    terminated: [OTHER],
    absent: ['i-0123456789abcdef2', 'i-89abcdef'],
    strangers: (count) => Array.from({ length: count }, (_, number) => idOf(number)),
    requests: () => server.requests.length,
    breakLookups: (id) => server.fail(ec2Error(403, 'UnauthorizedOperation'), (request) => id === undefined || request.ids.includes(id)),
    hangLookups: () => server.fail(() => undefined),
  };
});

describe('case 4: names', () => {
  test.each([
    ['8 digits', 'p_i-0123abcd', 'i-0123abcd'],
    ['17 digits', `p_${ID}`, ID],
    ['8 digits are not the head of 17', 'p_i-0123abcd456789ef0', 'i-0123abcd456789ef0'],
    ['another number of digits', 'p_i-0123abcd4', undefined],
    ['16 digits', 'p_i-0123456789abcdef', undefined],
    ['18 digits', 'p_i-0123456789abcdef01', undefined],
    ['capitals', 'p_i-0123ABCD', undefined],
    ['something before the prefix', `zzp_${ID}`, undefined],
    ['something behind the id', `p_${ID}-1`, undefined],
    ['a line break behind the id', `p_${ID}\n`, undefined],
    ['the prefix twice', `p_p_${ID}`, undefined],
    ['capitals in the prefix', `P_${ID}`, undefined],
    ['the prefix alone', 'p_', undefined],
  ])('%s: %j leads to %j', (_, name, id) => {
    expect(instanceIdOf(name, ['p_'])).toBe(id);
  });

  test('a prefix is text, not a pattern', () => {
    expect(instanceIdOf(`axb${ID}`, ['a.b'])).toBeUndefined();
    expect(instanceIdOf(`a.b${ID}`, ['a.b'])).toBe(ID);
  });

  test('one prefix may begin with another one', () => {
    expect(instanceIdOf(`gpu-large-${ID}`, ['gpu-', 'gpu-large-'])).toBe(ID);
    expect(instanceIdOf(`gpu-${ID}`, ['gpu-large-', 'gpu-'])).toBe(ID);
  });
});

describe('states', () => {
  test.each([
    ['pending', 'present'],
    ['running', 'present'],
    ['shutting-down', 'present'],
    ['stopping', 'present'],
    ['stopped', 'present'],
    ['terminated', 'terminated'],
    ['hibernated', 'unknown'],
    [undefined, 'unknown'],
  ])('case 6: an instance that is %s counts as %s', async (state, fact) => {
    server.machine('us-east-1', ID, state);

    expect(await machinesFor().lookup([ID])).toEqual(new Map([[ID, fact]]));
  });

  test.each([
    ['present in one region, terminated in another', ['running', 'terminated'], 'present'],
    ['terminated in one region, without a state in another', ['terminated', undefined], 'unknown'],
    ['present in one region, without a state in another', ['stopped', undefined], 'present'],
  ])('%s', async (_, states, fact) => {
    states.forEach((state, index) => server.machine(REGIONS[index]!, ID, state));

    expect(await machinesFor().lookup([ID])).toEqual(new Map([[ID, fact]]));
  });

  test('an instance that is listed twice counts by the state that protects it most', async () => {
    server.fail((response) => xml(response, 200, `<reservationSet>${instanceItem(ID, 'running')}${instanceItem(ID, 'terminated')}</reservationSet>`));

    expect(await machinesFor().lookup([ID])).toEqual(new Map([[ID, 'present']]));
  });

  test('an instance that nobody asked for stays out of the answer', async () => {
    server.fail((response) => xml(response, 200, `<reservationSet>${instanceItem(OTHER, 'running')}</reservationSet>`));

    expect(await machinesFor().lookup([ID])).toEqual(new Map([[ID, 'absent']]));
  });

  test('no region at all makes no machine absent', async () => {
    expect(await machinesFor(Deadline.after(60_000), []).lookup([ID])).toEqual(new Map([[ID, 'unknown']]));
  });
});

const FAULTS: readonly (readonly [string, Ec2Fault])[] = [
  ['a throttle', ec2Error(503, 'RequestLimitExceeded')],
  ['missing permission', ec2Error(403, 'UnauthorizedOperation')],
  ['AccessDenied', ec2Error(403, 'AccessDenied')],
  ['a region that is not opted in', ec2Error(401, 'AuthFailure')],
  ['an id that EC2 does not want to know', ec2Error(400, 'InvalidInstanceID.NotFound')],
  ['an internal error', ec2Error(500, 'InternalError')],
  ['an empty 200', (response) => response.writeHead(200).end()],
  ['an HTML 200', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Please log in</body></html>')],
  ['an HTML 200 with open tags', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><p>Please<br>log in')],
  ['a 200 without a reservation set', (response) => xml(response, 200, '')],
  ['a reservation whose instances were left out', (response) => xml(response, 200, '<reservationSet><item><reservationId>r-1</reservationId></item></reservationSet>')],
  ['a reservation of no instances', (response) => xml(response, 200, '<reservationSet><item><reservationId>r-1</reservationId><instancesSet/></item></reservationSet>')],
  ['a 200 that is JSON', (response) => response.writeHead(200).end('{"Reservations":[]}')],
  ['an instance without an id', (response) => xml(response, 200, `<reservationSet>${instanceItem('', 'terminated')}</reservationSet>`)],
  ['a body that ends too early', (response) => response.writeHead(200).end('<DescribeInstancesResponse><reservationSet>')],
  ['a body shorter than promised', (response) => {
    response.writeHead(200, { 'content-length': 5000 });
    response.write('<DescribeInstancesResponse>', () => response.destroy());
  }],
  ['a closed connection', (response) => response.destroy()],
];

describe('case 5: trouble in one of three regions', () => {
  test.each(FAULTS)('%s makes unknown what no other region has, and leaves alive what another has', async (_, fault) => {
    server.machine('us-east-1', ID, 'running');
    server.machine('us-east-1', OTHER, 'terminated');
    server.fail(fault, (request) => request.region === 'us-west-2');

    const facts = await machinesFor().lookup([ID, OTHER, 'i-0123abcd']);

    expect(facts).toEqual(new Map([[ID, 'present'], [OTHER, 'unknown'], ['i-0123abcd', 'unknown']]));
    expect(log.lines).toEqual([{ level: 'warn', message: 'machines could not be looked up', fields: { region: 'us-west-2', machines: 3, error: expect.any(String) } }]);
  });

  test.each([
    ['never begins', () => undefined],
    ['stops in the middle of the body', (response) => void response.writeHead(200, { 'content-length': 5000 }).write('<DescribeInstancesResponse>')],
  ] satisfies [string, Ec2Fault][])('an answer that %s is unknown in time', async (_, fault) => {
    const deadline = Deadline.after(60_000);
    deadline.signal = () => AbortSignal.timeout(300);
    server.machine('us-east-1', ID, 'running');
    server.fail(fault, (request) => request.region === 'us-west-2');
    const started = Date.now();

    expect(await machinesFor(deadline).lookup([ID, OTHER])).toEqual(new Map([[ID, 'present'], [OTHER, 'unknown']]));
    expect(Date.now() - started).toBeLessThan(3_000);
  });

  test('the log says why: in which region, and what was wrong with the answer', async () => {
    server.fail((response) => response.writeHead(200).end(), (request) => request.region === 'us-west-2');

    await machinesFor().lookup([ID]);

    expect(log.lines[0]?.fields).toEqual({ region: 'us-west-2', machines: 1, error: 'TransientError: the answer of DescribeInstances has no reservations' });
  });

  test('one throttled answer is asked for again', async () => {
    server.machine('us-east-1', ID, 'terminated');
    server.fail(ec2Error(503, 'RequestLimitExceeded'), (request) => request.region === 'us-east-1', 1);

    expect(await machinesFor().lookup([ID])).toEqual(new Map([[ID, 'terminated']]));
    expect(server.requests.filter((request) => request.region === 'us-east-1')).toHaveLength(2);
  });

  test('a throttle that lasts is asked three times, not more', async () => {
    server.fail(ec2Error(503, 'RequestLimitExceeded'));

    await machinesFor(Deadline.after(60_000), ['us-east-1']).lookup([ID]);

    expect(server.requests).toHaveLength(3);
  });
});

describe('pages and batches', () => {
  const ids = Array.from({ length: 450 }, (_, number) => idOf(number));

  test('at most 200 ids in a call, each region asked once for each batch', async () => {
    await machinesFor().lookup(ids);

    for (const region of REGIONS) {
      expect(server.requests.filter((request) => request.region === region).map((request) => request.ids.length)).toEqual([200, 200, 50]);
    }
  });

  test('case 5: a call that fails leaves its 200 machines unknown, and the others as they are', async () => {
    for (const id of ids) server.machine('us-east-1', id, 'terminated');
    server.fail((response) => response.writeHead(200).end(), (request) => request.region === 'us-west-2' && request.ids.includes(ids[250]!));

    const facts = await machinesFor().lookup(ids);

    expect(ids.map((id) => facts.get(id))).toEqual(ids.map((_, index) => (index >= 200 && index < 400 ? 'unknown' : 'terminated')));
  });

  test('all pages of an answer are read', async () => {
    for (const id of ids) server.machine('us-east-1', id, 'terminated');
    server.pageSize = 7;

    expect(new Set((await machinesFor().lookup(ids)).values())).toEqual(new Set(['terminated']));
  });

  test('case 5: half of the pages is not an answer, but what is alive on them is alive', async () => {
    server.machine('us-east-1', ID, 'running');
    server.machine('us-east-1', OTHER, 'terminated');
    server.machine('us-east-1', 'i-0123abcd', 'terminated');
    server.pageSize = 2;
    server.fail((response) => response.writeHead(200).end(), (request) => request.token !== undefined);

    expect(await machinesFor().lookup([ID, OTHER, 'i-0123abcd'])).toEqual(new Map([[ID, 'present'], [OTHER, 'unknown'], ['i-0123abcd', 'unknown']]));
  });

  test('an answer whose pages never end is unknown in time', async () => {
    const deadline = Deadline.after(60_000);
    const signals: AbortSignal[] = [];
    deadline.signal = () => {
      signals.push(AbortSignal.timeout(300));
      return signals[signals.length - 1]!;
    };
    server.fail((response) => xml(response, 200, '<reservationSet/><nextToken>again</nextToken>'));

    expect(await machinesFor(deadline, ['us-east-1']).lookup([ID])).toEqual(new Map([[ID, 'unknown']]));
    expect(signals).toHaveLength(1);
  });
});
