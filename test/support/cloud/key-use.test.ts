import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { AwsGateway } from './aws-gateway';
import type { Statement } from './policies';
import { SecretsService } from './secrets-service';
import { SsmService } from './ssm-service';

const SECRET = 'arn:aws:secretsmanager:eu-west-1:1:secret:app-key-Ab1Cd2';
const KEY = 'arn:aws:kms:eu-west-1:1:key/1';

const READ: Statement = { effect: 'Allow', actions: ['secretsmanager:GetSecretValue', 'ssm:GetParameter'], resources: ['*'], conditions: {} };
const decrypt = (conditions: Statement['conditions'] = {}, resources = [KEY]): Statement => ({ effect: 'Allow', actions: ['kms:Decrypt'], resources, conditions });
const via = (service: string) => decrypt({ StringEquals: { 'kms:ViaService': `${service}.eu-west-1.amazonaws.com` } });
const forWhat = (name: string, value: string) => decrypt({ StringEquals: { [`kms:EncryptionContext:${name}`]: value } });

let gateway: AwsGateway;

beforeEach(async () => {
  gateway = await AwsGateway.start();
  const [secrets, ssm] = [new SecretsService(), new SsmService()];
  secrets.declare({ arn: SECRET, keyArn: KEY });
  secrets.put(SECRET, 'value');
  ssm.put('/a', 'value', KEY);
  gateway.serveAs(secrets, ssm);
});

afterEach(async () => {
  await gateway.stop();
  expect(gateway.failures).toEqual([]);
});

const options = () => ({ region: 'eu-west-1', endpoint: gateway.url, credentials: { accessKeyId: 'AKIA', secretAccessKey: 'x' }, maxAttempts: 1 });
const readSecret = async () => (await new SecretsManagerClient(options()).send(new GetSecretValueCommand({ SecretId: SECRET }))).SecretString;
const readParameter = async () => (await new SSMClient(options()).send(new GetParameterCommand({ Name: '/a', WithDecryption: true }))).Parameter!.Value;

describe.each([
  ['secret', readSecret, via('secretsmanager'), via('ssm'), forWhat('SecretARN', SECRET), forWhat('SecretARN', `${SECRET}-other`)],
  ['parameter', readParameter, via('ssm'), via('secretsmanager'),
    forWhat('PARAMETER_ARN', 'arn:aws:ssm:eu-west-1:1:parameter/a'), forWhat('PARAMETER_ARN', 'arn:aws:ssm:eu-west-1:1:parameter/b')],
])('a %s with a customer managed key', (_, read, viaIt, viaOther, forIt, forOther) => {
  test.each([
    ['without conditions', decrypt(), true],
    ['through this service', viaIt, true],
    ['through another service', viaOther, false],
    ['for this one', forIt, true],
    ['for another one', forOther, false],
    ['with another key', decrypt({}, ['arn:aws:kms:eu-west-1:1:key/2']), false],
  ])('costs a call to KMS in the name of the caller, who may use the key %s', async (__, permission, isAllowed) => {
    gateway.principals.set('AKIA', { name: 'reader', account: '1', statements: [READ, permission] });
    if (isAllowed) expect(await read()).toBe('value');
    else await expect(read()).rejects.toMatchObject({ name: 'AccessDeniedException' });
    expect(gateway.recorder.calls.at(-1)).toMatchObject({ principal: 'reader', action: 'kms:Decrypt', resources: [KEY], region: 'eu-west-1', allowed: isAllowed });
  });
});
