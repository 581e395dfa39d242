import { App, Duration, Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json';
import { environmentOf, janitorIn, janitorStack, resourceOf, resourcesOf, statementsOf, templateOf, withoutAssetHashes } from './support/synth';
import { templateProblems } from './support/template-problems';
import { janitorConfig } from '../lambda-src/shared/config';
import { ComputeProvider, Evidence, RunnerGroup, RunnerScope } from '../src';

const QUEUE = { 'Fn::GetAtt': ['JanitorConfirmationQueueDEEF1E10', 'Arn'] };
const DEAD_LETTERS = { 'Fn::GetAtt': ['JanitorDeadLetterQueue2A09FE7B', 'Arn'] };
const LOGS = { 'Fn::GetAtt': ['JanitorLogs59EE4870', 'Arn'] };

const WRITE_LOGS = { Effect: 'Allow', Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Resource: LOGS };
const READ_SECRET = { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: { Ref: 'AppF1B96344' } };
const DESCRIBE_MACHINES = {
  Effect: 'Allow',
  Action: 'ec2:DescribeInstances',
  Resource: '*',
  Condition: { StringEquals: { 'aws:RequestedRegion': ['us-east-1', 'eu-west-1'] } },
};
const REGIONS = { computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: ['gh-'], regions: ['us-east-1', 'eu-west-1'] }) };

test('the smallest janitor is small, valid, and changes only on purpose', () => {
  const template = templateOf(janitorStack().stack);
  expect(templateProblems(template)).toEqual([]);
  expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(25);
  expect(JSON.stringify(template, null, 2).split('\n').length).toBeLessThanOrEqual(900);
  expect(JSON.stringify(template)).not.toContain('Fn::Join');
  expect(withoutAssetHashes(template)).toMatchSnapshot();
});

test('the queues keep their logical ids, because another id is another, empty queue', () => {
  const { stack, janitor } = janitorStack();
  expect(Object.keys(resourcesOf(templateOf(stack), 'AWS::SQS::Queue'))).toEqual(['JanitorDeadLetterQueue2A09FE7B', 'JanitorConfirmationQueueDEEF1E10']);
  expect(stack.resolve(janitor.confirmationQueue.queueArn)).toEqual(QUEUE);
  expect(stack.resolve(janitor.deadLetterQueue.queueArn)).toEqual(DEAD_LETTERS);
});

describe.each([['without feature flags', {}], ['with all recommended feature flags', recommendedFlags]])('%s', (_, context) => {
  const { stack } = janitorStack(REGIONS, new App({ context }));
  const template = templateOf(stack);

  test('the first look may log, queue, read the secret and describe machines in the listed regions, and nothing else', () => {
    expect(statementsOf(template, 'DiscoveryRole')).toEqual([
      WRITE_LOGS,
      { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: QUEUE },
      READ_SECRET,
      DESCRIBE_MACHINES,
    ]);
  });

  test('the second look may log, consume, read the secret and describe machines in the listed regions, and nothing else', () => {
    expect(statementsOf(template, 'ConfirmationRole')).toEqual([
      WRITE_LOGS,
      {
        Effect: 'Allow',
        Action: ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
        Resource: QUEUE,
      },
      READ_SECRET,
      DESCRIBE_MACHINES,
    ]);
  });

  test('no role has a managed or inline policy besides', () => {
    for (const { Properties } of Object.values(resourcesOf(template, 'AWS::IAM::Role'))) {
      expect(Object.keys(Properties).sort()).toEqual(['AssumeRolePolicyDocument', 'Description']);
    }
  });

  test('a function is made only after its permissions, or the first invocations would fail', () => {
    expect(resourceOf(template, 'AWS::Lambda::Function', 'Discovery').DependsOn).toContain('JanitorDiscoveryRoleDefaultPolicy041779CD');
    expect(resourceOf(template, 'AWS::Lambda::Function', 'Confirmation').DependsOn).toContain('JanitorConfirmationRoleDefaultPolicy3E755CCA');
  });

  test('the functions have the time and memory of the design', () => {
    const common = { Runtime: 'nodejs24.x', Handler: 'index.handler', Architectures: ['arm64'], LoggingConfig: { LogGroup: { Ref: 'JanitorLogs59EE4870' } } };
    expect(resourceOf(template, 'AWS::Lambda::Function', 'Discovery').Properties).toMatchObject({ ...common, Timeout: 300, MemorySize: 512 });
    expect(resourceOf(template, 'AWS::Lambda::Function', 'Confirmation').Properties).toMatchObject({ ...common, Timeout: 120, MemorySize: 512 });
  });

  test('a failed first look is repeated by nobody: neither by the rule nor by Lambda', () => {
    expect(resourceOf(template, 'AWS::Events::Rule').Properties.Targets[0].RetryPolicy).toEqual({ MaximumRetryAttempts: 0 });
    expect(resourceOf(template, 'AWS::Lambda::EventInvokeConfig').Properties).toEqual({
      FunctionName: { Ref: 'JanitorDiscoveryCBC19421' }, MaximumRetryAttempts: 0, Qualifier: '$LATEST',
    });
  });

  test('candidates wait 15 minutes in a FIFO queue, and 14 days in another after five attempts', () => {
    expect(resourceOf(template, 'AWS::SQS::Queue', 'ConfirmationQueue').Properties).toEqual({
      FifoQueue: true,
      ContentBasedDeduplication: false,
      DelaySeconds: 900,
      VisibilityTimeout: 720,
      MessageRetentionPeriod: 86400,
      RedrivePolicy: { deadLetterTargetArn: DEAD_LETTERS, maxReceiveCount: 5 },
      SqsManagedSseEnabled: true,
    });
    expect(resourceOf(template, 'AWS::SQS::Queue', 'DeadLetterQueue').Properties).toEqual({
      FifoQueue: true, ContentBasedDeduplication: false, MessageRetentionPeriod: 1209600, SqsManagedSseEnabled: true,
    });
  });

  test('both queues refuse whoever comes without TLS', () => {
    const policies = Object.values(resourcesOf(template, 'AWS::SQS::QueuePolicy')).map(({ Properties }) => Properties.PolicyDocument.Statement);
    expect(policies).toEqual([DEAD_LETTERS, QUEUE].map((Resource) => [{
      Effect: 'Deny', Principal: { AWS: '*' }, Action: 'sqs:*', Resource, Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    }]));
  });

  test('the second look is given ten candidates at a time, twice at most at the same time, and returns them one by one', () => {
    expect(resourceOf(template, 'AWS::Lambda::EventSourceMapping').Properties).toEqual({
      EventSourceArn: QUEUE,
      FunctionName: { Ref: 'JanitorConfirmationF3E015C2' },
      BatchSize: 10,
      ScalingConfig: { MaximumConcurrency: 2 },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });
});

test('functions, roles and the rule say which janitor they belong to and what they do', () => {
  const template = templateOf(janitorStack().stack);
  const described = ['AWS::Lambda::Function', 'AWS::IAM::Role', 'AWS::Events::Rule'].flatMap((type) => Object.values(resourcesOf(template, type)));
  expect(described).toHaveLength(5);
  for (const { Properties } of described) expect(Properties.Description).toMatch(/^\[Runners\/Janitor\] .{10,}/);
});

test('the handlers understand the environment they are given, and it says what the properties say', () => {
  const { stack } = janitorStack({
    runnerScope: RunnerScope.organization('acme', { runnerGroups: [RunnerGroup.named('big "ones"'), RunnerGroup.withId(7)] }),
    computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: ['gh-', 'p_'], regions: ['us-east-1'] }),
    githubUrl: 'https://acme.ghe.com',
    dryRun: false,
    interval: Duration.hours(24),
    candidatesPerRun: 1000,
    quotaReserve: 0,
    evidence: Evidence.TERMINATED_SEEN,
    protectedLabels: ['keep'],
    acknowledgedForeignRunners: ['gh-i-0123456789abcdef0'],
  });
  const template = templateOf(stack);
  const variables = environmentOf(template, 'Discovery');
  // the unique id of the role, and not its name, which another role may have one day
  const CANDIDATE_SENDER = { 'Fn::GetAtt': [expect.stringMatching(/^JanitorDiscoveryRole/), 'RoleId'] };
  expect(environmentOf(template, 'Confirmation')).toEqual({ ...variables, CANDIDATE_SENDER });
  expect(variables.CONFIRMATION_QUEUE_URL).toEqual({ Ref: 'JanitorConfirmationQueueDEEF1E10' });
  expect(variables.GITHUB_APP).toEqual({ Ref: 'AppF1B96344' });
  expect(variables.POWERTOOLS_SERVICE_NAME).toBe('Runners/Janitor');
  expect(variables.POWERTOOLS_METRICS_NAMESPACE).toBe('GithubRunnerJanitor');
  expect(janitorConfig({ ...variables, CONFIRMATION_QUEUE_URL: 'https://sqs.example/q' })).toMatchObject({
    githubUrl: 'https://acme.ghe.com',
    scope: { kind: 'organization', owner: 'acme', groups: { names: ['big "ones"'], ids: [7] } },
    credentials: { kind: 'apps', secrets: ['GITHUB_APP'] },
    compute: { kind: 'ec2', runnerNamePrefixes: ['gh-', 'p_'], regions: ['us-east-1'] },
    evidence: 'terminated',
    dryRun: false,
    candidatesPerRun: 1000,
    quotaReserve: 0,
    interval: 24 * 60 * 60 * 1000,
    queueUrl: 'https://sqs.example/q',
    protectedLabels: ['keep'],
    acknowledgedForeignRunners: ['gh-i-0123456789abcdef0'],
  });
});

test('a janitor that is told nothing deletes nothing, looks every half hour, and leaves a fifth of the quota', () => {
  const variables = environmentOf(templateOf(janitorStack().stack));
  expect(janitorConfig({ ...variables, CONFIRMATION_QUEUE_URL: 'https://sqs.example/q' })).toMatchObject({
    githubUrl: 'https://github.com',
    evidence: 'absent',
    dryRun: true,
    candidatesPerRun: 100,
    quotaReserve: 0.2,
    interval: 30 * 60 * 1000,
    protectedLabels: [],
    acknowledgedForeignRunners: [],
  });
});

test.each([
  [Duration.minutes(20), 'rate(20 minutes)'],
  [Duration.minutes(60), 'rate(1 hour)'],
  [Duration.seconds(5400), 'rate(90 minutes)'],
  [Duration.days(1), 'rate(1 day)'],
])('the functions know the schedule by the very expression of the rule: %s', (interval, expression) => {
  const template = templateOf(janitorStack({ interval }).stack);
  expect(resourceOf(template, 'AWS::Events::Rule').Properties.ScheduleExpression).toBe(expression);
  expect(environmentOf(template).SCHEDULE).toBe(expression);
});

test('two janitors in one stack share nothing but the secret', () => {
  const { stack } = janitorStack();
  janitorIn(stack, {}, 'Second');
  const resources = Object.entries(templateOf(stack).Resources);
  const ofSecond = resources.filter(([id]) => id.startsWith('Second'));
  expect(ofSecond).toHaveLength(16);
  expect(JSON.stringify(ofSecond)).not.toMatch(/"Janitor[A-Z]/);
});

describe('where the functions run', () => {
  test('in a VPC Lambda may manage their network interfaces, and their own code may not', () => {
    const app = new App();
    const network = new Stack(app, 'Network', { env: { account: '111111111111', region: 'us-east-1' } });
    const vpc = new ec2.Vpc(network, 'Vpc', { maxAzs: 2 });
    const securityGroup = new ec2.SecurityGroup(network, 'Group', { vpc });
    const { stack } = janitorStack({ vpc, vpcSubnets: { subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS }, securityGroups: [securityGroup] }, app);
    const template = templateOf(stack);
    for (const name of ['Discovery', 'Confirmation']) {
      const { VpcConfig } = resourceOf(template, 'AWS::Lambda::Function', name).Properties;
      expect(VpcConfig.SubnetIds).toHaveLength(2);
      expect(VpcConfig.SecurityGroupIds).toHaveLength(1);
      const statement = {
        Action: [
          'ec2:AssignPrivateIpAddresses', 'ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface',
          'ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets', 'ec2:UnassignPrivateIpAddresses',
        ],
        Resource: '*',
      };
      const statements = statementsOf(template, `${name}Role`);
      expect(statements).toContainEqual({ Effect: 'Allow', ...statement });
      expect(statements).toContainEqual({ Effect: 'Deny', ...statement, Condition: { Null: { 'lambda:SourceFunctionArn': 'false' } } });
    }
  });

  test('without a VPC nobody may manage network interfaces', () => {
    expect(JSON.stringify(templateOf(janitorStack().stack))).not.toContain('NetworkInterface');
  });

  test('subnets or security groups without a VPC are an error, not silently dropped', () => {
    expect(() => janitorStack({ vpcSubnets: { subnetType: ec2.SubnetType.PRIVATE_ISOLATED } })).toThrow(/'vpcSubnets' without configuring a VPC/);
    const securityGroups = [ec2.SecurityGroup.fromSecurityGroupId(new Stack(), 'Group', 'sg-1')];
    expect(() => janitorStack({ securityGroups })).toThrow(/without configuring a VPC/);
  });

  test('layers, architecture and more variables reach both functions', () => {
    const layer = 'arn:aws:lambda:us-east-1:111111111111:layer:ca:1';
    const app = new App();
    const layers = [lambda.LayerVersion.fromLayerVersionArn(new Stack(app, 'Layers'), 'Ca', layer)];
    const template = templateOf(janitorStack({
      layers, architecture: lambda.Architecture.X86_64, environment: { NODE_EXTRA_CA_CERTS: '/opt/ca.pem' },
    }, app).stack);
    for (const name of ['Discovery', 'Confirmation']) {
      expect(resourceOf(template, 'AWS::Lambda::Function', name).Properties).toMatchObject({ Layers: [layer], Architectures: ['x86_64'] });
      expect(environmentOf(template, name).NODE_EXTRA_CA_CERTS).toBe('/opt/ca.pem');
    }
  });

  test('their own log group takes the place of ours, and is the only one they may write to', () => {
    const app = new App();
    const logGroup = new logs.LogGroup(new Stack(app, 'Logs', { env: { account: '111111111111', region: 'us-east-1' } }), 'Group');
    const { stack, janitor } = janitorStack({ logGroup }, app);
    const template = templateOf(stack);
    expect(janitor.logGroup).toBe(logGroup);
    expect(resourcesOf(template, 'AWS::Logs::LogGroup')).toEqual({});
    expect(statementsOf(template, 'DiscoveryRole')[0]!.Resource).toEqual({ 'Fn::ImportValue': expect.stringContaining('Logs:') });
  });
});

describe('a key for the queues', () => {
  const app = new App();
  const keys = new Stack(app, 'Keys', { env: { account: '111111111111', region: 'us-east-1' } });
  const queueEncryptionKey = new kms.Key(keys, 'Key');
  const template = templateOf(janitorStack({ queueEncryptionKey }, app).stack);
  const key = { 'Fn::ImportValue': expect.stringContaining('Keys') };

  test('encrypts both', () => {
    for (const { Properties } of Object.values(resourcesOf(template, 'AWS::SQS::Queue'))) expect(Properties.KmsMasterKeyId).toEqual(key);
  });

  test('may be used by each function for what it does with the queue', () => {
    expect(statementsOf(template, 'DiscoveryRole')).toContainEqual({ Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Resource: key });
    expect(statementsOf(template, 'ConfirmationRole')).toContainEqual({ Effect: 'Allow', Action: 'kms:Decrypt', Resource: key });
  });
});

test('the functions can be granted more by the user, as any function of CDK', () => {
  const { stack, janitor } = janitorStack();
  janitor.discoveryFunction.addToRolePolicy(new iam.PolicyStatement({ actions: ['s3:GetObject'], resources: ['*'] }));
  expect(statementsOf(templateOf(stack), 'DiscoveryRole')).toContainEqual({ Effect: 'Allow', Action: 's3:GetObject', Resource: '*' });
});
