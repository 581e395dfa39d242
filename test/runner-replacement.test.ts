import { App, CfnParameter, Fn, Stack } from 'aws-cdk-lib';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import { detectorIn, detectorStack, ENV, machineIn, permissionsOf } from './support/detector-synth';
import { ACCOUNT, environmentOf, resourceOf, templateOf } from './support/synth';
import { templateProblems } from './support/template-problems';
import { executionArnPrefix } from '../lambda-src/aws/runner-launcher';
import { RunnerReplacement } from '../src';

type Json = Record<string, any>;

const STEM = `arn:aws:states:us-east-1:${ACCOUNT}`;
const imported = (stack: Stack, arn: string, id = 'Imported') => sfn.StateMachine.fromStateMachineArn(stack, id, arn);

/** What the judge of a detector with this replacement is told, and what it may do with the state machine and its key. */
function synthesised(make: (stack: Stack) => RunnerReplacement, observeOnly = false) {
  const stack = new Stack(new App(), 'Runners', { env: ENV });
  const { detector } = detectorIn(stack, { replacement: make(stack), observeOnly });
  detector.recordExecutions();
  const template = templateOf(stack);
  expect(templateProblems(template)).toEqual([]);
  const [start, describe, ...more] = permissionsOf(template, 'JudgeRole').filter(({ Action }) => /^(states|kms):/.test([Action].flat()[0]!)) as Json[];
  const pattern = resourceOf(template, 'AWS::Events::Rule').Properties.EventPattern.detail.stateMachineArn;
  return { arn: environmentOf(template, 'Judge').STATE_MACHINE_ARN, start, describe, more, pattern };
}

const mayStart = (resource: unknown, more: Json = {}) => ({ Effect: 'Allow', Action: 'states:StartExecution', Resource: resource, ...more });
const mayDescribe = (resource: unknown) => ({ Effect: 'Allow', Action: 'states:DescribeExecution', Resource: resource });

test('a state machine of the stack may be started, and its executions looked up, and nothing else', () => {
  const { arn, start, describe, more, pattern } = synthesised((stack) => RunnerReplacement.stateMachine(machineIn(stack)));
  const machine = { Ref: 'Machine6FC8AE80' };
  expect(arn).toEqual(machine);
  expect(start).toEqual(mayStart(machine));
  expect(describe).toEqual(mayDescribe({
    'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:states:us-east-1:${ACCOUNT}:execution:`, { 'Fn::GetAtt': ['Machine6FC8AE80', 'Name'] }, ':*']],
  }));
  expect(more).toEqual([]);
  expect(pattern).toEqual([machine]);
});

test('a state machine of another stack is known by what that stack exports', () => {
  const app = new App();
  const machine = machineIn(new Stack(app, 'Machines', { env: ENV }));
  const { stack } = detectorStack({ replacement: RunnerReplacement.stateMachine(machine) }, app);
  const template = templateOf(stack);
  expect(templateProblems(template)).toEqual([]);
  expect(environmentOf(template, 'Judge').STATE_MACHINE_ARN).toEqual({ 'Fn::ImportValue': expect.stringContaining('Machines:') });
});

test('a state machine that was imported by its ARN', () => {
  const arn = `${STEM}:stateMachine:runners`;
  const found = synthesised((stack) => RunnerReplacement.stateMachine(imported(stack, arn)));
  expect(found).toEqual({ arn, start: mayStart(arn), describe: mayDescribe(`${STEM}:execution:runners:*`), more: [], pattern: [arn] });
});

test('a state machine that was imported by its name', () => {
  const { start, describe } = synthesised((stack) => RunnerReplacement.stateMachine(sfn.StateMachine.fromStateMachineName(stack, 'Imported', 'runners')));
  const arn = (resource: string) => ({ 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:states:us-east-1:${ACCOUNT}:${resource}`]] });
  expect(start).toEqual(mayStart(arn('stateMachine:runners')));
  expect(describe).toEqual(mayDescribe(arn('execution:runners:*')));
});

test.each(['7', 'PROD'])('the version or alias %s is what is started; permissions, executions and events are those of the state machine', (qualifier) => {
  const machine = `${STEM}:stateMachine:runners`;
  const found = synthesised((stack) => RunnerReplacement.stateMachine(imported(stack, `${machine}:${qualifier}`)));
  expect(found).toEqual({
    arn: `${machine}:${qualifier}`,
    start: mayStart(machine, { Condition: { 'ForAnyValue:StringEquals': { 'states:StateMachineQualifier': qualifier } } }),
    describe: mayDescribe(`${STEM}:execution:runners:*`),
    more: [],
    pattern: [machine],
  });
  // the run side derives the same executions from the variable
  expect(`${executionArnPrefix(found.arn)}*`).toBe(found.describe!.Resource);
});

test('an ARN that only the deployment knows may be that of an alias: its seventh part is the name in either case', () => {
  const { arn, start, describe } = synthesised((stack) => {
    const parameter = new CfnParameter(stack, 'Arn');
    return RunnerReplacement.stateMachine(imported(stack, parameter.valueAsString));
  });
  expect(arn).toEqual({ Ref: 'Arn' });
  const part = (index: number) => ({ 'Fn::Select': [index, { 'Fn::Split': [':', { Ref: 'Arn' }] }] });
  const format = (resource: string, ...end: unknown[]) => ({
    'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':states:', part(3), ':', part(4), `:${resource}:`, part(6), ...end]],
  });
  expect(start).toEqual(mayStart(format('stateMachine')));
  expect(describe).toEqual(mayDescribe(format('execution', ':*')));
});

describe('an encrypted state machine', () => {
  const key = `arn:aws:kms:us-east-1:${ACCOUNT}:key/1`;
  const machine = `${STEM}:stateMachine:runners`;
  const replacement = (stack: Stack) => RunnerReplacement.stateMachine(imported(stack, machine), { encryptionKey: kms.Key.fromKeyArn(stack, 'Key', key) });
  const condition = {
    StringEquals: { 'kms:EncryptionContext:aws:states:stateMachineArn': machine, 'kms:ViaService': 'states.us-east-1.amazonaws.com' },
  };

  test('lets its key be used for its own executions, and through Step Functions only', () => {
    expect(synthesised(replacement).more).toEqual([
      { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Resource: key, Condition: condition },
    ]);
  });

  test('lets it be used for reading only, where nothing is started', () => {
    const { start, describe: second } = synthesised(replacement, true);
    expect([start, second]).toEqual([
      mayDescribe(`${STEM}:execution:runners:*`),
      { Effect: 'Allow', Action: 'kms:Decrypt', Resource: key, Condition: condition },
    ]);
  });
});

test('whoever only observes may start nothing', () => {
  const { start, describe } = synthesised((stack) => RunnerReplacement.stateMachine(machineIn(stack)), true);
  expect([start!.Action, describe]).toEqual(['states:DescribeExecution', undefined]);
});

test('an express state machine is an error, because its executions cannot be looked up', () => {
  const stack = new Stack(new App(), 'Runners');
  expect(() => RunnerReplacement.stateMachine(machineIn(stack, 'Express', { stateMachineType: sfn.StateMachineType.EXPRESS }))).toThrow(new Error(
    "'stateMachine' must be of type STANDARD, because executions of others cannot be looked up, got Runners/Express of type EXPRESS",
  ));
});

test.each([
  ['another account', 'arn:aws:states:us-east-1:222222222222:stateMachine:runners', 'account 222222222222 and region us-east-1'],
  ['another region', `arn:aws:states:eu-west-1:${ACCOUNT}:stateMachine:runners`, `account ${ACCOUNT} and region eu-west-1`],
])('a state machine of %s is an error, because it cannot be started from here', (_, arn, place) => {
  expect(() => synthesised((stack) => RunnerReplacement.stateMachine(imported(stack, arn)))).toThrow(new Error(
    `'replacement' must be a state machine of account ${ACCOUNT} and region us-east-1, where Runners/Detector is, got Runners/Imported of ${place}`,
  ));
});

test('an ARN of something else is an error', () => {
  const arn = `${STEM}:execution:runners:run`;
  expect(() => synthesised((stack) => RunnerReplacement.stateMachine(imported(stack, arn)))).toThrow(new Error(
    `'stateMachine' must be the ARN of a state machine, one of its versions or one of its aliases, got ${arn}`,
  ));
});

test('a stack that may be deployed anywhere takes its own state machine and any imported one', () => {
  const stack = new Stack(new App(), 'Anywhere');
  detectorIn(stack);
  detectorIn(stack, { replacement: RunnerReplacement.stateMachine(imported(stack, Fn.importValue('machine'))) }, 'Second');
  expect(templateProblems(templateOf(stack))).toEqual([]);
});
