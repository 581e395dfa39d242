import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json';
import { detectorIn, detectorStack, ENV, permissionsOf, withLoneResources } from './support/detector-synth';
import { environmentOf, resourceOf, resourcesOf, statementsOf, templateOf, withoutAssetHashes } from './support/synth';
import { templateProblems } from './support/template-problems';
import { judgeConfig, queueUrl, recorderConfig, webhookSecretArn } from '../lambda-src/stolen/detector-config';
import { GitHubCredentials } from '../src';

const QUEUE = { 'Fn::GetAtt': ['DetectorReportQueue9B1CD7B5', 'Arn'] };
const QUEUE_URL = { Ref: 'DetectorReportQueue9B1CD7B5' };
const TABLE = { 'Fn::GetAtt': ['DetectorTable4711002A', 'Arn'] };
const LOGS = { 'Fn::GetAtt': ['DetectorLogs1FFA9796', 'Arn'] };
const MACHINE = { Ref: 'Machine6FC8AE80' };
const join = (...parts: unknown[]) => ({ 'Fn::Join': ['', parts] });

const allow = (Action: string | string[], Resource: unknown) => ({ Effect: 'Allow', Action, Resource });
const WRITE_LOGS = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], LOGS);
const SEND = allow('sqs:SendMessage', QUEUE);

/** With everything that can be added to it. */
function completeDetector(context: Record<string, unknown> = {}) {
  const made = detectorStack({}, new App({ context }));
  made.detector.recordExecutions();
  made.detector.addWebhook({ secret: new secretsmanager.Secret(made.stack, 'Hook') });
  return { ...made, template: templateOf(made.stack) };
}

test('the smallest detector is small, valid, and changes only on purpose', () => {
  const template = templateOf(detectorStack().stack);
  expect(templateProblems(template)).toEqual([]);
  const own = Object.fromEntries(Object.entries(template.Resources).filter(([id]) => id.startsWith('Detector')));
  expect(Object.keys(own).length).toBeLessThanOrEqual(13);
  expect(withoutAssetHashes(withLoneResources(own))).toMatchSnapshot();
});

test('the table and the queue keep their logical ids, because another id is another, empty one', () => {
  const { stack, detector } = detectorStack();
  const template = templateOf(stack);
  expect(Object.keys(resourcesOf(template, 'AWS::DynamoDB::GlobalTable'))).toEqual(['DetectorTable4711002A']);
  expect(Object.keys(resourcesOf(template, 'AWS::SQS::Queue'))).toEqual(['DetectorReportQueue9B1CD7B5']);
  expect(stack.resolve(detector.table.tableArn)).toEqual(TABLE);
  expect(stack.resolve(detector.reportQueue.queueArn)).toEqual(QUEUE);
});

describe.each([
  [
    'without feature flags', {},
    join('arn:', { Ref: 'AWS::Partition' }, ':states:us-east-1:111111111111:execution:', { 'Fn::GetAtt': ['Machine6FC8AE80', 'Name'] }, ':*'),
    join('arn:', { Ref: 'AWS::Partition' }, ':logs:us-east-1:111111111111:log-group:*'),
  ],
  [
    // CDK then knows the partition of a region
    'with all recommended feature flags', recommendedFlags,
    join('arn:aws:states:us-east-1:111111111111:execution:', { 'Fn::GetAtt': ['Machine6FC8AE80', 'Name'] }, ':*'),
    'arn:aws:logs:us-east-1:111111111111:log-group:*',
  ],
])('%s', (_, context, executions, logGroups) => {
  const { template } = completeDetector(context);

  test('the intake, which reads hostile text, may log and queue, and nothing else', () => {
    expect(permissionsOf(template, 'IntakeRole')).toEqual([WRITE_LOGS, SEND]);
  });

  test('the judge may log, consume, keep the table, look executions up and start them, and read its secret, and nothing else', () => {
    expect(permissionsOf(template, 'JudgeRole')).toEqual([
      WRITE_LOGS,
      allow(['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'], QUEUE),
      allow(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], TABLE),
      allow('states:StartExecution', MACHINE),
      allow('states:DescribeExecution', executions),
      allow('secretsmanager:GetSecretValue', { Ref: 'AppF1B96344' }),
    ]);
  });

  test('the webhook may log, queue and read its own secret, and nothing else', () => {
    expect(permissionsOf(template, 'WebhookRole')).toEqual([WRITE_LOGS, SEND, allow('secretsmanager:GetSecretValue', { Ref: 'HookB39E2767' })]);
  });

  test('the recorder may log and add to rows, and nothing else', () => {
    expect(permissionsOf(template, 'RecorderRole')).toEqual([WRITE_LOGS, allow('dynamodb:UpdateItem', TABLE)]);
  });

  test('no role has a managed or inline policy besides', () => {
    const own = Object.entries(resourcesOf(template, 'AWS::IAM::Role')).filter(([id]) => id.startsWith('Detector'));
    expect(own).toHaveLength(4);
    for (const [, { Properties }] of own) expect(Object.keys(Properties).sort()).toEqual(['AssumeRolePolicyDocument', 'Description']);
  });

  test.each(['Intake', 'Judge', 'Webhook', 'Recorder'])('%s has the time and memory of the design', (name) => {
    expect(resourceOf(template, 'AWS::Lambda::Function', `Detector${name}`).Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Architectures: ['arm64'],
      Timeout: 30,
      MemorySize: 256,
      LoggingConfig: { LogGroup: { Ref: 'DetectorLogs1FFA9796' } },
    });
  });

  test('reports wait a minute in a FIFO queue, for an hour at most, and go nowhere else', () => {
    expect(resourceOf(template, 'AWS::SQS::Queue').Properties).toEqual({
      FifoQueue: true,
      ContentBasedDeduplication: false,
      DelaySeconds: 60,
      VisibilityTimeout: 180,
      MessageRetentionPeriod: 3600,
      SqsManagedSseEnabled: true,
    });
  });

  test('the queue refuses whoever comes without TLS', () => {
    expect(resourceOf(template, 'AWS::SQS::QueuePolicy').Properties.PolicyDocument.Statement).toEqual([{
      Effect: 'Deny', Principal: { AWS: '*' }, Action: 'sqs:*', Resource: QUEUE, Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    }]);
  });

  test('the table has one key, costs nothing at rest, and forgets', () => {
    const table = resourceOf(template, 'AWS::DynamoDB::GlobalTable');
    expect(table.Properties).toEqual({
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      Replicas: [{ Region: 'us-east-1' }],
    });
    expect(table.DeletionPolicy).toBe('Delete');
  });

  test('the judge is given ten reports at a time, twice at most at the same time, and returns them one by one', () => {
    expect(resourceOf(template, 'AWS::Lambda::EventSourceMapping').Properties).toEqual({
      EventSourceArn: QUEUE,
      FunctionName: { Ref: 'DetectorJudgeDB42B292' },
      BatchSize: 10,
      ScalingConfig: { MaximumConcurrency: 2 },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('marker lines of the runners reach the intake, which CloudWatch may call for log groups of this account and region only', () => {
    const filter = resourceOf(template, 'AWS::Logs::SubscriptionFilter');
    expect(filter.Properties).toEqual({
      DestinationArn: { 'Fn::GetAtt': ['DetectorIntakeB3179BCC', 'Arn'] },
      FilterPattern: '"CDKGHR JOB RUNNER="',
      LogGroupName: { Ref: 'RunnerLogsF9B1C0E8' },
    });
    expect(filter.DependsOn).toEqual(['DetectorLogDeliveries8E8A070F']);
    expect(template.Resources.DetectorLogDeliveries8E8A070F.Properties).toEqual({
      Action: 'lambda:InvokeFunction',
      FunctionName: { 'Fn::GetAtt': ['DetectorIntakeB3179BCC', 'Arn'] },
      Principal: 'logs.amazonaws.com',
      SourceAccount: '111111111111',
      SourceArn: logGroups,
    });
  });

  test('the events of the state machine, whatever the status, reach the recorder', () => {
    const { Properties } = resourceOf(template, 'AWS::Events::Rule');
    expect(Properties.EventPattern).toEqual({
      'source': ['aws.states'], 'detail-type': ['Step Functions Execution Status Change'], 'detail': { stateMachineArn: [MACHINE] },
    });
    expect(Properties.Targets).toEqual([{ Id: 'Target0', Arn: { 'Fn::GetAtt': [expect.stringMatching(/^DetectorRecorder/), 'Arn'] } }]);
  });

  test('the webhook has a URL that needs no login, because GitHub has none', () => {
    expect(resourceOf(template, 'AWS::Lambda::Url').Properties).toEqual({
      AuthType: 'NONE', TargetFunctionArn: { 'Fn::GetAtt': [expect.stringMatching(/^DetectorWebhook/), 'Arn'] },
    });
    const open = Object.values(resourcesOf(template, 'AWS::Lambda::Permission')).map(({ Properties }) => Properties)
      .filter(({ Principal }) => Principal === '*');
    expect(open.map(({ Action, FunctionUrlAuthType, InvokedViaFunctionUrl }) => [Action, FunctionUrlAuthType ?? InvokedViaFunctionUrl]))
      .toEqual([['lambda:InvokeFunctionUrl', 'NONE'], ['lambda:InvokeFunction', true]]);
  });
});

test('functions, roles and the rule say which detector they belong to and what they do', () => {
  const { template } = completeDetector();
  const described = ['AWS::Lambda::Function', 'AWS::IAM::Role', 'AWS::Events::Rule']
    .flatMap((type) => Object.entries(resourcesOf(template, type))).filter(([id]) => id.startsWith('Detector'));
  expect(described).toHaveLength(9);
  for (const [, { Properties }] of described) expect(Properties.Description).toMatch(/^\[Runners\/Detector\] .{10,}/);
});

describe('the handlers understand the environment they are given', () => {
  const asStrings = (variables: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, typeof value === 'string' ? value : `<${name}>`]));

  test('the judge, and it says what the properties say', () => {
    const { stack, detector } = detectorStack({
      githubUrl: 'https://acme.ghe.com', maxReplacements: 9, maxReplacementsPerHour: 1000, observeOnly: true,
    });
    detector.recordExecutions();
    const variables = environmentOf(templateOf(stack), 'Judge');
    expect(variables).toMatchObject({
      RUNNER_TRACKER_TABLE: { Ref: 'DetectorTable4711002A' },
      JOB_ASSIGNMENT_QUEUE_URL: QUEUE_URL,
      STATE_MACHINE_ARN: MACHINE,
      GITHUB_APP: { Ref: 'AppF1B96344' },
      POWERTOOLS_SERVICE_NAME: 'Runners/Detector',
      POWERTOOLS_METRICS_NAMESPACE: 'GithubRunnerJanitor',
    });
    expect(judgeConfig(asStrings(variables))).toEqual({
      table: '<RUNNER_TRACKER_TABLE>',
      ttlSeconds: 3 * 24 * 60 * 60,
      queueUrl: '<JOB_ASSIGNMENT_QUEUE_URL>',
      stateMachineArn: '<STATE_MACHINE_ARN>',
      githubUrl: 'https://acme.ghe.com',
      credentials: { kind: 'apps', secrets: ['GITHUB_APP'] },
      maxReplacements: 9,
      maxReplacementsPerHour: 1000,
      observeOnly: true,
      recordsExecutions: true,
    });
  });

  test('a judge that is told nothing replaces three times a runner and twenty times an hour', () => {
    expect(judgeConfig(asStrings(environmentOf(templateOf(detectorStack().stack), 'Judge')))).toMatchObject({
      githubUrl: 'https://github.com', maxReplacements: 3, maxReplacementsPerHour: 20, observeOnly: false, recordsExecutions: false,
    });
  });

  test('with the secrets of cdk-github-runners the host is theirs', () => {
    const secrets = new Stack(undefined, 'Secrets');
    const [github, key] = ['GitHub', 'Key'].map((id) => secretsmanager.Secret.fromSecretNameV2(secrets, id, id)) as [secretsmanager.ISecret, secretsmanager.ISecret];
    const { stack } = detectorStack({ credentials: GitHubCredentials.cdkGithubRunners(github, key) });
    expect(judgeConfig(asStrings(environmentOf(templateOf(stack), 'Judge'))).githubUrl).toBeUndefined();
  });

  test('intake, webhook and recorder, which are told no more than they need', () => {
    const { template } = completeDetector();
    const told = (name: string) => {
      const { POWERTOOLS_SERVICE_NAME: _, POWERTOOLS_METRICS_NAMESPACE: __, ...variables } = environmentOf(template, `Detector${name}`);
      return variables;
    };
    expect(told('Intake')).toEqual({ JOB_ASSIGNMENT_QUEUE_URL: QUEUE_URL });
    expect(queueUrl(asStrings(told('Intake')))).toBe('<JOB_ASSIGNMENT_QUEUE_URL>');
    expect(told('Webhook')).toEqual({ JOB_ASSIGNMENT_QUEUE_URL: QUEUE_URL, WEBHOOK_SECRET_ARN: { Ref: 'HookB39E2767' } });
    expect(webhookSecretArn(asStrings(told('Webhook')))).toBe('<WEBHOOK_SECRET_ARN>');
    expect(told('Recorder')).toEqual({ RUNNER_TRACKER_TABLE: { Ref: 'DetectorTable4711002A' }, RUNNER_TRACKER_TTL_SECONDS: '259200' });
    expect(recorderConfig(asStrings(told('Recorder')))).toEqual({ table: '<RUNNER_TRACKER_TABLE>', ttlSeconds: 259200 });
  });
});

test('two detectors in one stack share nothing but the runners', () => {
  const { stack } = detectorStack();
  detectorIn(stack, {}, 'Second');
  const ofSecond = Object.entries(templateOf(stack).Resources).filter(([id]) => id.startsWith('Second'));
  expect(ofSecond).toHaveLength(13);
  expect(JSON.stringify(ofSecond)).not.toMatch(/"Detector[A-Z]/);
});

test('whoever wants to keep the table says so', () => {
  const table = resourceOf(templateOf(detectorStack({ removalPolicy: RemovalPolicy.RETAIN }).stack), 'AWS::DynamoDB::GlobalTable');
  expect([table.DeletionPolicy, table.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
});

test('a key for the queue encrypts it, and may be used by each function for what it does with the queue', () => {
  const app = new App();
  const queueEncryptionKey = new kms.Key(new Stack(app, 'Keys', { env: ENV }), 'Key');
  const template = templateOf(detectorStack({ queueEncryptionKey }, app).stack);
  const key = { 'Fn::ImportValue': expect.stringContaining('Keys') };
  expect(resourceOf(template, 'AWS::SQS::Queue').Properties.KmsMasterKeyId).toEqual(key);
  expect(permissionsOf(template, 'IntakeRole')).toContainEqual(allow(['kms:Decrypt', 'kms:GenerateDataKey'], key as unknown));
  expect(permissionsOf(template, 'JudgeRole')).toContainEqual(allow('kms:Decrypt', key as unknown));
});

test('VPC, layers, architecture, log group and more variables reach every function, also those that are added later', () => {
  const app = new App();
  const others = new Stack(app, 'Others', { env: ENV });
  const layer = 'arn:aws:lambda:us-east-1:111111111111:layer:ca:1';
  const { stack, detector } = detectorStack({
    vpc: new ec2.Vpc(others, 'Vpc', { maxAzs: 2 }),
    layers: [lambda.LayerVersion.fromLayerVersionArn(others, 'Ca', layer)],
    architecture: lambda.Architecture.X86_64,
    logGroup: new logs.LogGroup(others, 'Logs'),
    environment: { NODE_EXTRA_CA_CERTS: '/opt/ca.pem' },
  }, app);
  detector.recordExecutions();
  detector.addWebhook({ secret: new secretsmanager.Secret(stack, 'Hook') });
  const template = templateOf(stack);
  for (const name of ['Intake', 'Judge', 'Webhook', 'Recorder']) {
    const { Properties } = resourceOf(template, 'AWS::Lambda::Function', `Detector${name}`);
    expect(Properties).toMatchObject({ Layers: [layer], Architectures: ['x86_64'] });
    expect(Properties.VpcConfig.SubnetIds).toHaveLength(2);
    expect(statementsOf(template, `Detector${name}Role`)).toContainEqual({
      Effect: 'Deny',
      Action: expect.arrayContaining(['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface']),
      Resource: '*',
      Condition: { Null: { 'lambda:SourceFunctionArn': 'false' } },
    });
    expect(Properties.LoggingConfig.LogGroup).toEqual({ 'Fn::ImportValue': expect.stringContaining('Others:') });
    expect(Properties.Environment.Variables.NODE_EXTRA_CA_CERTS).toBe('/opt/ca.pem');
  }
  expect(Object.keys(resourcesOf(template, 'AWS::Logs::LogGroup'))).toEqual(['RunnerLogsF9B1C0E8']);
});
