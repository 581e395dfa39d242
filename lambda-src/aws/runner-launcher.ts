import type { DescribeExecutionOutput, SFNClient } from '@aws-sdk/client-sfn';
import { DescribeExecutionCommand, ExecutionAlreadyExists, ExecutionDoesNotExist, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Clock, Deadline } from '../shared/deadline';
import { ConfigurationError, TransientError } from '../shared/errors';
import { withinDeadline } from '../shared/within-deadline';
import type { Execution, Executions, StartAnswer } from '../stolen/ports';

export interface RunnerLauncherOptions {
  readonly client: SFNClient;
  /** of a state machine, one of its versions or one of its aliases */
  readonly stateMachineArn: string;
  readonly deadline: Deadline;
  readonly now?: Clock;
}

/** The state machine that starts runners, on Step Functions, during one invocation. */
export class RunnerLauncher implements Executions {
  private readonly executionArnPrefix: string;

  /** @throws ConfigurationError when the ARN is not one of a state machine */
  constructor(private readonly options: RunnerLauncherOptions) {
    this.executionArnPrefix = executionArnPrefix(options.stateMachineArn);
  }

  async find(name: string): Promise<Execution | undefined> {
    const { client, deadline } = this.options;
    const command = new DescribeExecutionCommand({ executionArn: this.executionArnPrefix + name });
    try {
      return executionOf(name, await withinDeadline(deadline, `looking execution ${name} up`, (abortSignal) => client.send(command, { abortSignal })));
    } catch (error) {
      if (error instanceof TransientError && error.cause instanceof ExecutionDoesNotExist) return undefined;
      throw error;
    }
  }

  /**
   * https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html: while an execution runs, starting it again
   * with the same name and input succeeds and changes nothing; after that, or with another input, the name is refused.
   */
  async start(name: string, input: string): Promise<StartAnswer> {
    const { client, deadline } = this.options;
    const calledAt = (this.options.now ?? Date.now)();
    const command = new StartExecutionCommand({ stateMachineArn: this.options.stateMachineArn, name, input });
    try {
      const { startDate } = await withinDeadline(deadline, `starting execution ${name}`, (abortSignal) => client.send(command, { abortSignal }));
      if (!startDate) throw new TransientError(`starting execution ${name}: the answer has no start date`);
      return startDate.getTime() < calledAt ? 'alreadyStarted' : 'started';
    } catch (error) {
      if (!(error instanceof TransientError && error.cause instanceof ExecutionAlreadyExists)) throw error;
    }
    const existing = await this.find(name);
    // look-ups are only eventually consistent
    if (!existing) throw new TransientError(`execution ${name} exists, but cannot be seen yet`);
    return existing.input === input ? 'alreadyStarted' : 'taken';
  }
}

/** Executions belong to the state machine itself, whichever version or alias they were started with. */
export function executionArnPrefix(stateMachineArn: string): string {
  const [, stem, name] = /^(arn:[^:]+:states:[^:]+:[^:]+):stateMachine:([^:]+)(?::[^:]+)?$/.exec(stateMachineArn) ?? [];
  if (stem === undefined || name === undefined) {
    throw new ConfigurationError(`the ARN must be one of a state machine, its version or its alias, got ${stateMachineArn}`);
  }
  return `${stem}:execution:${name}:`;
}

function executionOf(name: string, { input, status, stopDate }: DescribeExecutionOutput): Execution {
  if (typeof input !== 'string' || status === undefined) throw new TransientError(`execution ${name}: the answer has no input or no status`);
  switch (status) {
    // PENDING_REDRIVE: https://docs.aws.amazon.com/step-functions/latest/apireference/API_DescribeExecution.html
    case 'RUNNING':
    case 'PENDING_REDRIVE': return { name, input, life: 'running', endedAt: undefined };
    case 'SUCCEEDED': return { name, input, life: 'succeeded', endedAt: stopDate?.getTime() };
    case 'FAILED':
    case 'TIMED_OUT':
    case 'ABORTED': return { name, input, life: 'failed', endedAt: stopDate?.getTime() };
    default: throw new TransientError(`execution ${name}: the status ${String(status)} is not known`);
  }
}
