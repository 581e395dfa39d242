import { DEMO } from '../examples/demo/demo-app';
import { APP_PARAMETERS, putAppParameters } from './support/cloud/app-parameters';
import { impatient, impatientLooks } from './support/cloud/early-candidates';
import { editedAssembly, withoutAction } from './support/cloud/edited-assembly';
import { synthesiseEncryptedJanitor, synthesiseManifestJanitor } from './support/cloud/encrypted-assemblies';
import { JanitorStage } from './support/cloud/janitor-stage';

/** Janitors with customer managed keys, and with Apps in Parameter Store: AWS uses the keys with the permissions of the functions. */

jest.setTimeout(60_000);

let stage: JanitorStage;
let ghost: number;
let living: number;

beforeEach(async () => {
  stage = await JanitorStage.start({ organization: DEMO.organization, compression: 50 });
  const group = stage.github.addGroup(DEMO.organization, { name: 'linux' });
  const add = (machine: string) => stage.github.addRunner(DEMO.organization, group, { name: `${DEMO.prefix}${machine}` }).id;
  ghost = add('i-0000000000000000a');
  living = add('i-0000000000000000b');
  stage.cloud.ec2.add({ id: 'i-0000000000000000b', region: DEMO.regions[0] });
});

afterEach(async () => {
  await stage.stop();
  expect(stage.cloud.gateway.failures).toEqual([]);
  expect(stage.cloud.proxy.refused).toEqual([]);
});

const registered = () => stage.github.runners(DEMO.organization).map(({ id }) => id);

function expectProof(): void {
  expect(stage.cloud.function('Confirmation').metrics).toEqual({ TooEarly: 1, Deleted: 1 });
  expect(stage.github.deletions).toEqual([ghost]);
  const { recorder, principals } = stage.cloud.gateway;
  expect(recorder.denied).toEqual([]);
  expect(recorder.unused(principals.values())).toEqual([]);
}

type Permission = readonly [role: string, action: string, resource: string];

/** What a role may no longer do is refused, and nothing with a machine goes. */
async function expectRefusal(assembly: string, [role, action, resource]: Permission, deploy: (edited: string) => Promise<unknown>): Promise<void> {
  await deploy(editedAssembly(impatient(assembly), withoutAction(action, { role: `${role}Role`, resource })));
  // which step fails, and whether loudly, depends on the permission
  await impatientLooks(stage).catch(() => undefined);
  const denied = stage.cloud.gateway.recorder.denied.filter((call) => call.action === action && call.principal.includes(role));
  expect(denied.flatMap(({ resources }) => resources).filter((each) => each.includes(resource))).not.toEqual([]);
  expect(registered()).toContain(living);
}

describe('queues and a secret with keys of their own', () => {
  let assembly: string;
  beforeAll(() => { assembly = synthesiseEncryptedJanitor(); });

  test('every call is allowed, those to KMS too, and every allowed action is used with every key', async () => {
    await stage.deploy(impatient(assembly));
    await impatientLooks(stage);
    expectProof();
  });

  test.each([
    ['Discovery', 'kms:GenerateDataKey', 'QueueKey'],
    ['Discovery', 'kms:Decrypt', 'QueueKey'],
    ['Discovery', 'kms:Decrypt', 'AppKey'],
    ['Confirmation', 'kms:Decrypt', 'QueueKey'],
    ['Confirmation', 'kms:Decrypt', 'AppKey'],
  ])('%s needs %s with %s', (...permission) => expectRefusal(assembly, permission, (edited) => stage.deploy(edited)));
});

describe('several Apps in Parameter Store', () => {
  let withKey: string;
  let withoutKey: string;
  beforeAll(() => {
    withKey = synthesiseManifestJanitor({ withKey: true });
    withoutKey = synthesiseManifestJanitor({ withKey: false });
  });

  async function deploy(assembly: string): Promise<readonly string[]> {
    await stage.deploy(assembly);
    const { template } = stage.cloud;
    const [key] = template.ofType('AWS::KMS::Key').map(({ logicalId }) => template.attribute(logicalId, 'Arn'));
    return putAppParameters(stage.github, stage.cloud, { organization: DEMO.organization, appIds: [5001, 5002, 5003], keyArn: key });
  }

  test('each look reads every parameter with their key, and every allowed action is used', async () => {
    const parameters = await deploy(impatient(withKey));
    await impatientLooks(stage);
    expectProof();
    const { recorder, principals } = stage.cloud.gateway;
    for (const { name } of principals.values()) {
      const reads = recorder.calls.filter(({ principal, action }) => principal === name && action === 'ssm:GetParameter');
      const read = reads.flatMap(({ resources }) => resources.map((arn) => arn.split(':parameter')[1]));
      expect(new Set(read)).toEqual(new Set(parameters));
      expect(recorder.count('kms:Decrypt', name)).toBe(reads.length);
    }
  });

  test('with the key that AWS manages nobody needs KMS', async () => {
    await deploy(impatient(withoutKey));
    await impatientLooks(stage);
    expectProof();
    expect(stage.cloud.gateway.recorder.count('kms:Decrypt')).toBe(0);
  });

  test.each([
    ['Discovery', 'ssm:GetParameter', APP_PARAMETERS.manifest],
    ['Discovery', 'ssm:GetParameter', APP_PARAMETERS.path],
    ['Discovery', 'kms:Decrypt', 'ParameterKey'],
    ['Confirmation', 'ssm:GetParameter', APP_PARAMETERS.manifest],
    ['Confirmation', 'ssm:GetParameter', APP_PARAMETERS.path],
    ['Confirmation', 'kms:Decrypt', 'ParameterKey'],
  ])('%s needs %s with %s', (...permission) => expectRefusal(withKey, permission, deploy));
});
