import { setTimeout as pause } from 'node:timers/promises';
import { SFNClient } from '@aws-sdk/client-sfn';
import { executionArnPrefix, RunnerLauncher } from '../../../lambda-src/aws/runner-launcher';
import { Deadline } from '../../../lambda-src/shared/deadline';
import { ConfigurationError, DeadlineError, TransientError } from '../../../lambda-src/shared/errors';
import { StepFunctionsServer } from '../../support/cloud/step-functions-server';
import { keepsTheExecutionsContract } from '../stolen/executions-contract';

const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:Runners';

let server: StepFunctionsServer;
let listening: Awaited<ReturnType<StepFunctionsServer['listen']>>;

beforeEach(async () => {
  server = new StepFunctionsServer();
  listening = await server.listen();
});

afterEach(() => listening.stop());

function launcher({ arn = ARN, deadline = Deadline.after(60_000) } = {}): RunnerLauncher {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' };
  const client = new SFNClient({ region: 'us-east-1', endpoint: listening.url, credentials, maxAttempts: 1 });
  return new RunnerLauncher({ client, stateMachineArn: arn, deadline });
}

describe('the state machine on Step Functions', () => {
  keepsTheExecutionsContract(() => ({
    executions: launcher(),
    end: (name, life) => server.end(name, life === 'failed' ? 'FAILED' : 'SUCCEEDED'),
    wait: async () => void await pause(5),
  }));
});

test.each([
  [ARN],
  [`${ARN}:7`],
  [`${ARN}:live`],
])('executions started with %s are started with it and found by the name of the state machine', async (arn) => {
  expect(await launcher({ arn }).start('R1', '{}')).toBe('started');

  expect(server.find('R1')!.stateMachineArn).toBe(arn);
  expect(await launcher({ arn }).find('R1')).toMatchObject({ life: 'running' });
  expect(server.requests.at(-1)!.body).toMatchObject({ executionArn: 'arn:aws:states:us-east-1:123456789012:execution:Runners:R1' });
});

test('the partition and a state machine that is called stateMachine are kept', () => {
  expect(executionArnPrefix('arn:aws-cn:states:cn-north-1:123456789012:stateMachine:stateMachine:stateMachine')).toBe(
    'arn:aws-cn:states:cn-north-1:123456789012:execution:stateMachine:',
  );
});

test.each(['', 'Runners', 'arn:aws:states:us-east-1:123456789012:express:Runners', `${ARN}:live:7`])('%j is no ARN of a state machine', (arn) => {
  expect(() => launcher({ arn })).toThrow(ConfigurationError);
});

test.each(['TIMED_OUT', 'ABORTED', 'FAILED'] as const)('an execution that is %s has failed', async (status) => {
  server.start(ARN, 'R1', '{}');
  server.end('R1', status, 5000);

  expect(await launcher().find('R1')).toEqual({ name: 'R1', input: '{}', life: 'failed', endedAt: 5000 });
});

test.each([
  ['DescribeExecution', 'ThrottlingException', 400],
  ['DescribeExecution', 'InternalFailure', 500],
  ['DescribeExecution', 'AccessDeniedException', 400],
  ['StartExecution', 'ThrottlingException', 400],
  ['StartExecution', 'ExecutionLimitExceeded', 400],
  ['StartExecution', 'StateMachineDeleting', 400],
])('%s that answers %s says nothing about the execution', async (action, code, status) => {
  server.failNext(action, code, status);

  await expect(action === 'StartExecution' ? launcher().start('R1', '{}') : launcher().find('R1')).rejects.toThrow(TransientError);
});

test('a name that exists, but cannot be looked up yet, is no answer', async () => {
  server.failNext('StartExecution', 'ExecutionAlreadyExists', 400);

  await expect(launcher().start('R1', '{}')).rejects.toThrow(new TransientError('execution R1 exists, but cannot be seen yet'));
});

test('nothing is started when no time is left', async () => {
  await expect(launcher({ deadline: Deadline.after(5000) }).start('R1', '{}')).rejects.toThrow(DeadlineError);
  expect(server.all()).toEqual([]);
});
