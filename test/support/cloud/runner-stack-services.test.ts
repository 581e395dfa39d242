import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { DetectorStage, markerLine } from './detector-stage';
import { editedAssembly, type EditableTemplate } from './edited-assembly';
import { SHOP, synthesiseRunnerStack } from '../../../examples/demo/runner-app';

/** Tables, state machines, log subscriptions and function URLs of the local cloud, as a runner stack with a detector declares them. */

jest.setTimeout(60_000);

let assembly: string;
let stage: DetectorStage;

beforeAll(() => { assembly = synthesiseRunnerStack(); });

beforeEach(async () => { stage = await DetectorStage.start({ organization: SHOP.organization, repositories: [SHOP.repository] }); });

afterEach(() => stage.stop());

/** Takes out the resources of a type that have these properties. */
function remove(type: string, properties: Readonly<Record<string, unknown>>): (template: EditableTemplate) => void {
  return ({ Resources }) => {
    for (const [id, { Type, Properties }] of Object.entries(Resources)) {
      if (Type === type && Object.entries(properties).every(([name, value]) => Properties[name] === value)) delete Resources[id];
    }
  };
}

describe('log subscriptions', () => {
  test('try a filter out with a control message, and deliver only lines with the quoted term', async () => {
    await stage.deploy(assembly);
    const intake = stage.cloud.function('Intake');
    expect(intake.results).toEqual([{ kind: 'returned' }]);
    await stage.log('Listening for Jobs', 'a JOB of CDKGHR on a RUNNER=x');
    expect(intake.results).toHaveLength(1);
    await stage.log('Listening for Jobs', markerLine('R1', SHOP.repository, 1));
    expect(await stage.reports()).toEqual([expect.stringContaining('"runnerName":"R1"')]);
  });

  test('are refused when no permission lets them invoke their function', async () => {
    const edited = editedAssembly(assembly, remove('AWS::Lambda::Permission', { Principal: 'logs.amazonaws.com' }));
    await expect(stage.cloud.deploy(edited)).rejects.toThrow(/no permission lets filter/);
  });
});

describe('function URLs', () => {
  const anybody = () => fetch(stage.cloud.functionUrl('Webhook'), { method: 'POST', body: '{}' });

  test('invoke the function with the bytes of the body', async () => {
    await stage.deploy(assembly);
    expect((await anybody()).status).toBe(401);
  });

  test.each(['lambda:InvokeFunctionUrl', 'lambda:InvokeFunction'])('are closed to everybody without the permission %s', async (action) => {
    await stage.deploy(editedAssembly(assembly, remove('AWS::Lambda::Permission', { Action: action, Principal: '*' })));
    expect((await anybody()).status).toBe(403);
    expect(stage.cloud.function('Webhook').results).toEqual([]);
  });
});

describe('state machines', () => {
  const client = () => new SFNClient({
    region: 'eu-west-1', endpoint: stage.cloud.gateway.url, credentials: { accessKeyId: `AKIA-${stage.cloud.function('Judge').declared.name}`, secretAccessKey: 'local' },
  });

  test('record an execution through their status events', async () => {
    await stage.deploy(assembly);
    await stage.startRunner('R1', '{"jobId":7}');
    expect(await rows()).toMatchObject([{ pk: { S: 'job#7' }, runners: { SS: ['R1'] } }]);
  });

  test('are those of the template only', async () => {
    await stage.deploy(assembly);
    const { arn, stateMachineArn } = await stage.startRunner('R1', '{}');
    expect((await client().send(new DescribeExecutionCommand({ executionArn: arn }))).status).toBe('RUNNING');
    const other = new StartExecutionCommand({ stateMachineArn: `${stateMachineArn}2`, name: 'R2', input: '{}' });
    await expect(client().send(other)).rejects.toThrow(/not authorized/);
    expect(stage.cloud.stepFunctions.all()).toHaveLength(1);
  });
});

describe('tables', () => {
  test('keep their rows when the stack is updated', async () => {
    await stage.deploy(assembly);
    await stage.startRunner('R1', '{"jobId":7}');
    await stage.deploy(assembly);
    expect(await rows()).toHaveLength(1);
  });
});

describe('asynchronous invocations', () => {
  test('are repeated as often as Lambda does', async () => {
    await stage.deploy(assembly);
    const fault = stage.cloud.gateway.fault({ service: 'dynamodb' }, { error: 'ValidationException', status: 400 });
    await stage.startRunner('R1', '{"jobId":7}');
    expect(stage.cloud.function('Recorder').results.map(({ kind }) => kind)).toEqual(['threw', 'threw', 'threw']);
    fault.clear();
    expect(await rows()).toEqual([]);
  });
});

function rows() {
  const { template, dynamodb } = stage.cloud;
  return dynamodb.items(template.ref(template.only('AWS::DynamoDB::GlobalTable', 'Table').logicalId));
}
