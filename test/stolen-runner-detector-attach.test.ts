import { App, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type { StolenRunnerDetector } from '../src';
import { detectorIn, detectorStack, ENV, permissionsOf, withLoneResources } from './support/detector-synth';
import { ACCOUNT, environmentOf, resourceOf, resourcesOf, templateOf } from './support/synth';
import { templateProblems } from './support/template-problems';

const OTHER_ACCOUNT = '222222222222';
const TABLE = { 'Fn::GetAtt': ['DetectorTable4711002A', 'Arn'] };
const QUEUE = { 'Fn::GetAtt': ['DetectorReportQueue9B1CD7B5', 'Arn'] };
const MAY_RECORD = { Effect: 'Allow', Action: 'dynamodb:UpdateItem', Resource: TABLE };
const MAY_REPORT = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: QUEUE };

const functionIn = (stack: Stack, id = 'Hook') => new lambda.Function(stack, id, {
  runtime: lambda.Runtime.NODEJS_24_X, handler: 'index.handler', code: lambda.Code.fromInline('exports.handler = () => {};'),
});

const importedFunction = (stack: Stack) => lambda.Function.fromFunctionArn(stack, 'Hook', `arn:aws:lambda:us-east-1:${ACCOUNT}:function:hook`);

/** The allowing statements of the policies that stand on the table and on the queue themselves. */
function resourcePolicies(stack: Stack) {
  const template = templateOf(stack);
  const [replica] = resourceOf(template, 'AWS::DynamoDB::GlobalTable').Properties.Replicas;
  const queue = resourceOf(template, 'AWS::SQS::QueuePolicy').Properties.PolicyDocument.Statement;
  return {
    table: replica.ResourcePolicy?.PolicyDocument.Statement ?? [],
    queue: queue.filter(({ Effect }: { Effect: string }) => Effect === 'Allow'),
  };
}

type GrantCase = [string, (detector: StolenRunnerDetector, grantee: iam.IGrantable) => iam.Grant, typeof MAY_RECORD, 'Table' | 'ReportQueue'];

describe.each<GrantCase>([
  ['record runners', (detector, grantee) => detector.grantRecordRunners(grantee), MAY_RECORD, 'Table'],
  ['report assignments', (detector, grantee) => detector.grantReportAssignments(grantee), MAY_REPORT, 'ReportQueue'],
])('who may be allowed to %s', (_, grant, allowed, resource) => {
  test('a function of the same stack, by its own policy and without any variable', () => {
    const { stack, detector } = detectorStack();
    grant(detector, functionIn(stack)).assertSuccess();
    const template = templateOf(stack);
    expect(permissionsOf(template, 'HookServiceRole')).toEqual([allowed]);
    expect(resourcePolicies(stack)).toEqual({ table: [], queue: [] });
    expect(resourceOf(template, 'AWS::Lambda::Function', 'Hook').Properties).not.toHaveProperty('Environment');
  });

  test('a function of another stack, by its own policy and the exported ARN', () => {
    const { app, stack, detector } = detectorStack();
    const other = new Stack(app, 'Other', { env: ENV });
    grant(detector, functionIn(other));
    expect(permissionsOf(templateOf(other), 'HookServiceRole')).toEqual([{ ...allowed, Resource: { 'Fn::ImportValue': expect.stringContaining('Runners:') } }]);
    expect(templateProblems(templateOf(stack))).toEqual([]);
  });

  test('an imported function with its role, by a policy attached to that role', () => {
    const { stack, detector } = detectorStack();
    grant(detector, lambda.Function.fromFunctionAttributes(stack, 'Hook', {
      functionArn: `arn:aws:lambda:us-east-1:${ACCOUNT}:function:hook`,
      role: iam.Role.fromRoleArn(stack, 'HookRole', `arn:aws:iam::${ACCOUNT}:role/hook`),
    }));
    const { Properties } = withLoneResources(resourceOf(templateOf(stack), 'AWS::IAM::Policy', 'HookRole'));
    expect([Properties.Roles, Properties.PolicyDocument.Statement]).toEqual([['hook'], [allowed]]);
  });

  test('not an imported function without its role: an error says how to import it', () => {
    const { stack, detector } = detectorStack();
    expect(() => grant(detector, importedFunction(stack))).toThrow(new Error(
      `cannot grant Runners/Detector/${resource} to Runners/Hook: it was imported without its role; `
      + 'import it together with its role (Function.fromFunctionAttributes) or grant to the role',
    ));
  });

  test.each([
    ['a role', (stack: Stack) => iam.Role.fromRoleArn(stack, 'Far', `arn:aws:iam::${OTHER_ACCOUNT}:role/hook`), `arn:aws:iam::${OTHER_ACCOUNT}:role/hook`],
    ['everybody', () => new iam.AccountPrincipal(OTHER_ACCOUNT), { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:iam::${OTHER_ACCOUNT}:root`]] }],
  ])('%s of another account, by the policy of the resource', (__, make, principal) => {
    const { stack, detector } = detectorStack();
    grant(detector, make(stack)).assertSuccess();
    const template = templateOf(stack);
    expect(templateProblems(template)).toEqual([]);
    const [statement, ...others] = [...resourcePolicies(stack).table, ...resourcePolicies(stack).queue];
    // a table's policy cannot name the table, which does not exist while its policy is written
    expect(statement).toEqual({ ...allowed, Principal: { AWS: principal }, Resource: resource === 'Table' ? '*' : QUEUE });
    expect(others).toEqual([]);
  });
});

describe('a service', () => {
  const service = new iam.ServicePrincipal('sns.amazonaws.com');

  test('may report, by the policy of the queue', () => {
    const { stack, detector } = detectorStack();
    detector.grantReportAssignments(service).assertSuccess();
    expect(resourcePolicies(stack).queue).toEqual([{ ...MAY_REPORT, Principal: { Service: 'sns.amazonaws.com' } }]);
  });

  test('cannot record, and the error says why', () => {
    const { detector } = detectorStack();
    expect(() => detector.grantRecordRunners(service)).toThrow(new Error(
      'cannot grant Runners/Detector/Table to the service sns.amazonaws.com: no service writes a table as itself; grant to the role it takes on',
    ));
  });
});

test('whoever may report may use the key of the queue for it', () => {
  const stack = new Stack(new App(), 'Runners', { env: ENV });
  const { detector } = detectorIn(stack, { queueEncryptionKey: new kms.Key(stack, 'Key') });
  detector.grantReportAssignments(functionIn(stack));
  expect(permissionsOf(templateOf(stack), 'HookServiceRole')).toEqual([
    MAY_REPORT, { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Resource: { 'Fn::GetAtt': ['Key961B73FD', 'Arn'] } },
  ]);
});

describe('attaching a webhook function of the runner stack', () => {
  const attach = (detector: StolenRunnerDetector, fn: lambda.Function) => {
    detector.attachRecorder(fn);
    detector.attachReporter(fn);
  };

  test('gives it both permissions and the documented variables', () => {
    const { stack, detector } = detectorStack();
    attach(detector, functionIn(stack));
    const template = templateOf(stack);
    expect(permissionsOf(template, 'HookServiceRole')).toEqual([MAY_RECORD, MAY_REPORT]);
    expect(environmentOf(template, 'Hook')).toEqual({
      RUNNER_TRACKER_TABLE: { Ref: 'DetectorTable4711002A' },
      RUNNER_TRACKER_TTL_SECONDS: '259200',
      JOB_ASSIGNMENT_QUEUE_URL: { Ref: 'DetectorReportQueue9B1CD7B5' },
    });
    expect(stack.resolve(detector.environment)).toEqual(environmentOf(template, 'Hook'));
  });

  test('as recorder only, or as reporter only, gives it no more than that', () => {
    const { stack, detector } = detectorStack();
    detector.attachRecorder(functionIn(stack, 'Starter'));
    detector.attachReporter(functionIn(stack, 'Listener'));
    const template = templateOf(stack);
    expect(permissionsOf(template, 'StarterServiceRole')).toEqual([MAY_RECORD]);
    expect(Object.keys(environmentOf(template, 'Starter'))).toEqual(['RUNNER_TRACKER_TABLE', 'RUNNER_TRACKER_TTL_SECONDS']);
    expect(permissionsOf(template, 'ListenerServiceRole')).toEqual([MAY_REPORT]);
    expect(Object.keys(environmentOf(template, 'Listener'))).toEqual(['JOB_ASSIGNMENT_QUEUE_URL']);
  });

  test('works from another stack, and twice', () => {
    const { app, detector } = detectorStack();
    const hook = functionIn(new Stack(app, 'Other', { env: ENV }));
    attach(detector, hook);
    attach(detector, hook);
    expect(environmentOf(templateOf(hook.stack), 'Hook').RUNNER_TRACKER_TABLE).toEqual({ 'Fn::ImportValue': expect.stringContaining('Runners:') });
  });

  test.each([
    ['account', { account: OTHER_ACCOUNT, region: 'us-east-1' }],
    ['region', { account: ACCOUNT, region: 'eu-west-1' }],
  ])('is an error in another %s, where table and queue cannot be found by these variables', (_, env) => {
    const { app, detector } = detectorStack();
    const far = functionIn(new Stack(app, 'Far', { env }));
    const message = new Error(`'fn' must be a function of account ${ACCOUNT} and region us-east-1, where Runners/Detector is, `
      + `got Far/Hook of account ${env.account} and region ${env.region}`);
    expect(() => detector.attachRecorder(far)).toThrow(message);
    expect(() => detector.attachReporter(far)).toThrow(message);
  });

  test('is an error when it is attached to another detector, which would be cut off', () => {
    const { stack, detector } = detectorStack();
    const { detector: second } = detectorIn(stack, {}, 'Second');
    const hook = functionIn(stack);
    attach(detector, hook);
    expect(() => second.attachRecorder(hook)).toThrow(/^Runners\/Hook has RUNNER_TRACKER_TABLE from Runners\/Detector already, Runners\/Second would replace it/);
    expect(() => second.attachReporter(hook)).toThrow(/^Runners\/Hook has JOB_ASSIGNMENT_QUEUE_URL from Runners\/Detector already/);
  });
});

describe('watching log groups', () => {
  const filtersOf = (stack: Stack) => Object.values(resourcesOf(templateOf(stack), 'AWS::Logs::SubscriptionFilter'));
  const allowedCallers = (stack: Stack) => Object.keys(resourcesOf(templateOf(stack), 'AWS::Lambda::Permission'));

  test('needs one permission, however many there are, and every filter waits for it', () => {
    const { stack, detector } = detectorStack();
    for (let index = 0; index < 60; index += 1) detector.watchLogGroup(new logs.LogGroup(stack, `Group${index}`));
    expect(filtersOf(stack)).toHaveLength(61);
    for (const { DependsOn } of filtersOf(stack)) expect(DependsOn).toEqual(['DetectorLogDeliveries8E8A070F']);
    expect(allowedCallers(stack)).toEqual(['DetectorLogDeliveries8E8A070F']);
  });

  test('takes the same one twice for one, under whatever import', () => {
    const stack = new Stack(new App(), 'Runners', { env: ENV });
    const group = new logs.LogGroup(stack, 'Group');
    const [one, two] = ['One', 'Two'].map((id) => logs.LogGroup.fromLogGroupName(stack, id, 'runners')) as [logs.ILogGroup, logs.ILogGroup];
    const { detector } = detectorIn(stack, { runnerLogGroups: [group, group, one] });
    detector.watchLogGroup(group);
    detector.watchLogGroup(two);
    expect(filtersOf(stack).map(({ Properties }) => Properties.LogGroupName)).toEqual([{ Ref: 'GroupC77FDACD' }, 'runners']);
  });

  test('takes log groups of two stacks for two, although both have the same reference', () => {
    const { app, stack, detector } = detectorStack();
    const watched = ['Blue', 'Green'].map((id) => new logs.LogGroup(new Stack(app, id, { env: ENV }), 'RunnerLogs'));
    watched.forEach((group) => detector.watchLogGroup(group));
    expect(filtersOf(stack)).toHaveLength(3);
  });

  test('leaves out the permission when there is nothing to watch', () => {
    expect(allowedCallers(detectorStack({ runnerLogGroups: [] }).stack)).toEqual([]);
  });
});

describe('functions that are only there when asked for', () => {
  test('are undefined before', () => {
    const { stack, detector } = detectorStack();
    expect([detector.webhookFunction, detector.recorderFunction]).toEqual([undefined, undefined]);
    expect(Object.keys(resourcesOf(templateOf(stack), 'AWS::Lambda::Function'))).toHaveLength(2);
  });

  test('are known after', () => {
    const { stack, detector } = detectorStack();
    detector.recordExecutions();
    const { url } = detector.addWebhook({ secret: new secretsmanager.Secret(stack, 'Hook') });
    expect(detector.recorderFunction!.node.path).toBe('Runners/Detector/Recorder');
    expect(detector.webhookFunction!.node.path).toBe('Runners/Detector/Webhook');
    expect(stack.resolve(url)).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/^DetectorWebhookFunctionUrl/), 'FunctionUrl'] });
  });

  test('are an error the second time', () => {
    const { stack, detector } = detectorStack();
    const secret = new secretsmanager.Secret(stack, 'Hook');
    detector.recordExecutions();
    detector.addWebhook({ secret });
    expect(() => detector.recordExecutions()).toThrow(/already a Construct with name 'Recorder/);
    expect(() => detector.addWebhook({ secret })).toThrow(/already a Construct with name 'Webhook/);
  });

  test('read a secret that was imported by its name, and one with a key of its own', () => {
    const { stack, detector } = detectorStack();
    const encryptionKey = kms.Key.fromKeyArn(stack, 'Key', `arn:aws:kms:us-east-1:${ACCOUNT}:key/1`);
    detector.addWebhook({
      secret: secretsmanager.Secret.fromSecretAttributes(stack, 'Hook', {
        secretPartialArn: `arn:aws:secretsmanager:us-east-1:${ACCOUNT}:secret:hook`, encryptionKey,
      }),
    });
    expect(permissionsOf(templateOf(stack), 'DetectorWebhookRole').slice(2)).toEqual([
      { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: `arn:aws:secretsmanager:us-east-1:${ACCOUNT}:secret:hook-??????` },
      {
        Effect: 'Allow',
        Action: 'kms:Decrypt',
        Resource: `arn:aws:kms:us-east-1:${ACCOUNT}:key/1`,
        Condition: { StringEquals: { 'kms:ViaService': 'secretsmanager.us-east-1.amazonaws.com' } },
      },
    ]);
  });

  test('keep the judge from waiting for records where jobs are recorded at once', () => {
    const { stack, detector } = detectorStack();
    detector.attachRecorder(functionIn(stack));
    expect(environmentOf(templateOf(stack), 'Judge')).not.toHaveProperty('RECORDS_EXECUTIONS');
  });
});
