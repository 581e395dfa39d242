import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { ACCOUNT, environmentOf, janitorIn, janitorStack, resourceOf, statementsOf, templateOf } from './support/synth';
import { templateProblems } from './support/template-problems';

const OTHER_ACCOUNT = '222222222222';
const env = { account: ACCOUNT, region: 'us-east-1' };
const QUEUE = { 'Fn::GetAtt': ['JanitorConfirmationQueueDEEF1E10', 'Arn'] };
const MAY_SEND = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: QUEUE };

const functionIn = (stack: Stack, id = 'Watcher') => new lambda.Function(stack, id, {
  runtime: lambda.Runtime.NODEJS_24_X, handler: 'index.handler', code: lambda.Code.fromInline('exports.handler = () => {};'),
});

/** The allowing statements of the queue's own policy. */
const queuePolicy = (stack: Stack) => resourceOf(templateOf(stack), 'AWS::SQS::QueuePolicy', 'ConfirmationQueue')
  .Properties.PolicyDocument.Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow');

describe('who may be allowed to nominate', () => {
  test('a function of the same stack, by its own policy', () => {
    const { stack, janitor } = janitorStack();
    janitor.grantNominate(functionIn(stack)).assertSuccess();
    const template = templateOf(stack);
    expect(statementsOf(template, 'WatcherServiceRole')).toEqual([MAY_SEND]);
    expect(queuePolicy(stack)).toEqual([]);
    expect(environmentOf(template, 'Discovery')).toBeDefined();
    expect(resourceOf(template, 'AWS::Lambda::Function', 'Watcher').Properties).not.toHaveProperty('Environment');
  });

  test('a function of another stack, by its own policy and the exported ARN', () => {
    const { app, stack, janitor } = janitorStack();
    const other = new Stack(app, 'Other', { env });
    janitor.grantNominate(functionIn(other));
    expect(statementsOf(templateOf(other), 'WatcherServiceRole')).toEqual([
      { ...MAY_SEND, Resource: { 'Fn::ImportValue': expect.stringContaining('Runners:') } },
    ]);
    expect(templateProblems(templateOf(stack))).toEqual([]);
  });

  test('an imported function with its role, by a policy attached to that role', () => {
    const { stack, janitor } = janitorStack();
    janitor.grantNominate(lambda.Function.fromFunctionAttributes(stack, 'Watcher', {
      functionArn: `arn:aws:lambda:us-east-1:${ACCOUNT}:function:watcher`,
      role: iam.Role.fromRoleArn(stack, 'WatcherRole', `arn:aws:iam::${ACCOUNT}:role/watcher`),
    }));
    const { Properties } = resourceOf(templateOf(stack), 'AWS::IAM::Policy', 'WatcherRole');
    expect(Properties.Roles).toEqual(['watcher']);
    expect(Properties.PolicyDocument.Statement).toEqual([MAY_SEND]);
  });

  test('not an imported function without its role: an error says how to import it', () => {
    const { stack, janitor } = janitorStack();
    const watcher = lambda.Function.fromFunctionArn(stack, 'Watcher', `arn:aws:lambda:us-east-1:${ACCOUNT}:function:watcher`);
    expect(() => janitor.grantNominate(watcher)).toThrow(new Error(
      'cannot grant Runners/Janitor/ConfirmationQueue to Runners/Watcher: it was imported without its role; '
      + 'import it together with its role (Function.fromFunctionAttributes) or grant to the role',
    ));
  });

  test('a service, by the policy of the queue', () => {
    const { stack, janitor } = janitorStack();
    janitor.grantNominate(new iam.ServicePrincipal('sns.amazonaws.com')).assertSuccess();
    expect(queuePolicy(stack)).toEqual([{ ...MAY_SEND, Principal: { Service: 'sns.amazonaws.com' } }]);
  });

  test('another account, by the policy of the queue', () => {
    const { stack, janitor } = janitorStack();
    janitor.grantNominate(new iam.AccountPrincipal(OTHER_ACCOUNT)).assertSuccess();
    expect(queuePolicy(stack)).toEqual([{
      ...MAY_SEND, Principal: { AWS: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:iam::${OTHER_ACCOUNT}:root`]] } },
    }]);
  });

  test('a role of another account, by the policy of the queue', () => {
    const { stack, janitor } = janitorStack();
    janitor.grantNominate(iam.Role.fromRoleArn(stack, 'Foreign', `arn:aws:iam::${OTHER_ACCOUNT}:role/watcher`));
    expect(queuePolicy(stack)).toEqual([{ ...MAY_SEND, Principal: { AWS: `arn:aws:iam::${OTHER_ACCOUNT}:role/watcher` } }]);
  });

  test('not a function of the same app in another account: a queue without a physical name cannot be named there', () => {
    const { app, janitor } = janitorStack();
    const foreign = new Stack(app, 'Foreign', { env: { account: OTHER_ACCOUNT, region: 'us-east-1' } });
    const role = new iam.Role(foreign, 'Role', { roleName: 'watcher', assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com') });
    janitor.grantNominate(role);
    expect(() => app.synth()).toThrow(/Cannot use resource .*ConfirmationQueue.* in a cross-environment fashion/);
  });
});

describe('with a key for the queues', () => {
  test('whoever may nominate may use the key for it', () => {
    const stack = new Stack(new App(), 'Runners', { env });
    const { janitor } = janitorIn(stack, { queueEncryptionKey: new kms.Key(stack, 'Key') });
    janitor.grantNominate(functionIn(stack));
    expect(statementsOf(templateOf(stack), 'WatcherServiceRole')).toEqual([
      MAY_SEND,
      { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Resource: { 'Fn::GetAtt': ['Key961B73FD', 'Arn'] } },
    ]);
  });

  test('a service is let in by the policies of both', () => {
    const stack = new Stack(new App(), 'Runners', { env });
    const { janitor } = janitorIn(stack, { queueEncryptionKey: new kms.Key(stack, 'Key') });
    janitor.grantNominate(new iam.ServicePrincipal('sns.amazonaws.com'));
    expect(queuePolicy(stack)).toHaveLength(1);
    expect(resourceOf(templateOf(stack), 'AWS::KMS::Key').Properties.KeyPolicy.Statement).toContainEqual({
      Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Principal: { Service: 'sns.amazonaws.com' }, Resource: '*',
    });
  });

  test.each([
    ['a service', () => new iam.ServicePrincipal('sns.amazonaws.com')],
    ['another account', () => new iam.AccountPrincipal(OTHER_ACCOUNT)],
  ])('that was imported, %s cannot be let in, and the error says so', (_, principal) => {
    const stack = new Stack(new App(), 'Runners', { env });
    const key = kms.Key.fromKeyArn(stack, 'Key', `arn:aws:kms:us-east-1:${ACCOUNT}:key/1`);
    const { janitor } = janitorIn(stack, { queueEncryptionKey: key });
    expect(() => janitor.grantNominate(principal())).toThrow(/only the policy of the imported key arn:aws:kms:us-east-1:111111111111:key\/1 could let it in/);
  });

  test('that was imported, a function of this account is let in by its own policy', () => {
    const stack = new Stack(new App(), 'Runners', { env });
    const key = kms.Key.fromKeyArn(stack, 'Key', `arn:aws:kms:us-east-1:${ACCOUNT}:key/1`);
    const { janitor } = janitorIn(stack, { queueEncryptionKey: key });
    janitor.grantNominate(functionIn(stack));
    expect(statementsOf(templateOf(stack), 'WatcherServiceRole').at(-1)!.Resource).toBe(`arn:aws:kms:us-east-1:${ACCOUNT}:key/1`);
  });
});

describe('attaching a nominator', () => {
  test.each([
    ['another account', { account: OTHER_ACCOUNT, region: 'us-east-1' }],
    ['another region', { account: ACCOUNT, region: 'eu-west-1' }],
  ])('of %s is an error, and gives it nothing', (_, there) => {
    const { app, janitor } = janitorStack();
    const other = new Stack(app, 'Other', { env: there });
    expect(() => janitor.attachNominator(functionIn(other))).toThrow(new Error(
      `'fn' must be a function of account ${ACCOUNT} and region us-east-1, where Runners/Janitor is, got Other/Watcher of account ${there.account} and region ${there.region}`,
    ));
    expect(resourceOf(templateOf(other), 'AWS::Lambda::Function').Properties).not.toHaveProperty('Environment');
  });

  test('gives it the permission and the address of the queue', () => {
    const { stack, janitor } = janitorStack();
    janitor.attachNominator(functionIn(stack));
    const template = templateOf(stack);
    expect(statementsOf(template, 'WatcherServiceRole')).toEqual([MAY_SEND]);
    expect(environmentOf(template, 'Watcher')).toEqual({ RUNNER_NOMINATION_QUEUE_URL: { Ref: 'JanitorConfirmationQueueDEEF1E10' } });
    expect(stack.resolve(janitor.environment)).toEqual(environmentOf(template, 'Watcher'));
  });

  test('works from another stack', () => {
    const { app, janitor } = janitorStack();
    const other = new Stack(app, 'Other', { env });
    janitor.attachNominator(functionIn(other));
    expect(environmentOf(templateOf(other), 'Watcher')).toEqual({ RUNNER_NOMINATION_QUEUE_URL: { 'Fn::ImportValue': expect.stringContaining('Runners:') } });
  });

  test('twice to the same janitor is fine', () => {
    const { stack, janitor } = janitorStack();
    const watcher = functionIn(stack);
    janitor.attachNominator(watcher);
    janitor.attachNominator(watcher);
    expect(environmentOf(templateOf(stack), 'Watcher')).toHaveProperty('RUNNER_NOMINATION_QUEUE_URL');
  });

  test('to two janitors is an error, because the second would cut off the first', () => {
    const { stack, janitor } = janitorStack();
    const { janitor: second } = janitorIn(stack, {}, 'Second');
    const watcher = functionIn(stack);
    janitor.attachNominator(watcher);
    expect(() => second.attachNominator(watcher)).toThrow(new Error(
      'Runners/Watcher has RUNNER_NOMINATION_QUEUE_URL from Runners/Janitor already, Runners/Second would replace it: '
      + 'grant the permission alone and add a variable of another name',
    ));
  });
});

test('nothing about a janitor is worth a warning or an error of CDK', () => {
  const { stack } = janitorStack();
  expect(Annotations.fromStack(stack).findWarning('*', Match.anyValue())).toEqual([]);
  expect(Annotations.fromStack(stack).findError('*', Match.anyValue())).toEqual([]);
});
