import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { AwsGateway } from './aws-gateway';
import { Ec2Service, WITHOUT_RESERVATION_SET } from './ec2-service';
import { SecretsService } from './secrets-service';
import { SsmService } from './ssm-service';
import { StsService } from './sts-service';

const HOME = '111111111111';
const ELSEWHERE = '222222222222';

let gateway: AwsGateway;
let ec2: Ec2Service;
let secrets: SecretsService;
let ssm: SsmService;
let sts: StsService;

beforeEach(async () => {
  gateway = await AwsGateway.start();
  ec2 = new Ec2Service(HOME);
  secrets = new SecretsService();
  ssm = new SsmService();
  sts = new StsService(gateway.principals);
  gateway.serveAs(ec2, secrets, ssm, sts);
  gateway.principals.set('AKIA', { name: 'test', account: HOME, statements: undefined });
});

afterEach(async () => {
  await gateway.stop();
  expect(gateway.failures).toEqual([]);
});

const options = (region = 'eu-west-1', accessKeyId = 'AKIA') => ({
  region, endpoint: gateway.url, credentials: { accessKeyId, secretAccessKey: 'x' }, maxAttempts: 1,
});

async function describeInstances(ids: readonly string[], client = new EC2Client(options()), more = {}) {
  return client.send(new DescribeInstancesCommand({ Filters: [{ Name: 'instance-id', Values: [...ids] }], ...more }));
}

describe('EC2', () => {
  test('knows each region by itself, and forgets what has been terminated for long', async () => {
    ec2.add({ id: 'i-1', region: 'eu-west-1', state: 'terminated' });
    ec2.add({ id: 'i-2', region: 'us-east-1' });
    const found = (await describeInstances(['i-1', 'i-2'])).Reservations!.flatMap(({ Instances }) => Instances!);
    expect(found.map(({ InstanceId, State }) => [InstanceId, State!.Name, State!.Code])).toEqual([['i-1', 'terminated', 48]]);
    ec2.forget('i-1');
    expect((await describeInstances(['i-1'])).Reservations).toEqual([]);
  });

  test('pages', async () => {
    const ids = Array.from({ length: 7 }, (_, index) => `i-${index}`);
    ids.forEach((id) => ec2.add({ id, region: 'eu-west-1' }));
    const first = await describeInstances(ids, undefined, { MaxResults: 5 });
    const second = await describeInstances(ids, undefined, { MaxResults: 5, NextToken: first.NextToken });
    expect([first.Reservations!.length, second.Reservations!.length, second.NextToken]).toEqual([5, 2, undefined]);
  });

  test('refuses more than 200 values of a filter', async () => {
    await expect(describeInstances(Array.from({ length: 201 }, (_, index) => `i-${index}`))).rejects.toMatchObject({ name: 'FilterLimitExceeded' });
  });

  test('fails a call that names one unknown instance outside of a filter', async () => {
    ec2.add({ id: 'i-1', region: 'eu-west-1' });
    const call = new EC2Client(options()).send(new DescribeInstancesCommand({ InstanceIds: ['i-1', 'i-2'] }));
    await expect(call).rejects.toMatchObject({ name: 'InvalidInstanceID.NotFound' });
  });

  test.each([['emptyBody' as const], ['html' as const], [WITHOUT_RESERVATION_SET]])('%j passes in the SDK for a success without reservations', async (effect) => {
    gateway.fault({ service: 'ec2' }, effect);
    expect((await describeInstances(['i-1'])).Reservations).toBeUndefined();
  });
});

test('an access key that nobody holds is refused', async () => {
  await expect(describeInstances(['i-1'], new EC2Client(options('eu-west-1', 'OTHER')))).rejects.toMatchObject({ name: 'InvalidClientTokenId' });
});

test('a role of another account is assumed only if it trusts us, and sees only its own machines', async () => {
  ec2.add({ id: 'i-1', region: 'eu-west-1' });
  ec2.add({ id: 'i-2', region: 'eu-west-1', account: ELSEWHERE });
  const RoleArn = `arn:aws:iam::${ELSEWHERE}:role/reader`;
  const assume = () => new STSClient(options()).send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'x' }));
  await expect(assume()).rejects.toMatchObject({ name: 'AccessDenied' });
  sts.trust(RoleArn);
  const { Credentials } = await assume();
  const { Reservations } = await describeInstances(['i-1', 'i-2'], new EC2Client(options('eu-west-1', Credentials!.AccessKeyId!)));
  expect(Reservations!.flatMap(({ Instances }) => Instances!.map(({ InstanceId }) => InstanceId))).toEqual(['i-2']);
});

test('a secret is found by its ARN, its ARN without the random part, and its name', async () => {
  const arn = `arn:aws:secretsmanager:eu-west-1:${HOME}:secret:app-key-Ab1Cd2`;
  secrets.put(arn, 'value');
  for (const SecretId of [arn, arn.slice(0, -7), 'app-key']) {
    expect(await new SecretsManagerClient(options()).send(new GetSecretValueCommand({ SecretId }))).toMatchObject({ SecretString: 'value', ARN: arn });
  }
  const missing = new SecretsManagerClient(options()).send(new GetSecretValueCommand({ SecretId: 'other' }));
  await expect(missing).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

test('parameters are read one by one and together', async () => {
  ssm.put('/a/b', '1');
  const client = new SSMClient(options());
  expect((await client.send(new GetParameterCommand({ Name: '/a/b', WithDecryption: true }))).Parameter!.Value).toBe('1');
  expect((await client.send(new GetParameterCommand({ Name: '/a/b' }))).Parameter!.Value).not.toBe('1');
  await expect(client.send(new GetParameterCommand({ Name: '/c' }))).rejects.toMatchObject({ name: 'ParameterNotFound' });
  expect(await client.send(new GetParametersCommand({ Names: ['/a/b', '/c'], WithDecryption: true }))).toMatchObject({ Parameters: [{ Value: '1' }], InvalidParameters: ['/c'] });
  expect(gateway.recorder.calls.at(-1)!.resources).toEqual([`arn:aws:ssm:eu-west-1:${HOME}:parameter/a/b`, `arn:aws:ssm:eu-west-1:${HOME}:parameter/c`]);
});
