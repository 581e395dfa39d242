import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { jsonAnswer, jsonError, jsonTarget, type AwsAction, type AwsAnswer, type AwsRequest, type AwsService } from './aws-service';
import type { Encryptable } from './declared';
import type { KeyAction, UseKey } from './key-use';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

export interface FakeExecution {
  readonly arn: string;
  readonly name: string;
  readonly input: string;
  /** as it was given: with a version or an alias, perhaps */
  readonly stateMachineArn: string;
  /** milliseconds since the epoch */
  readonly startedAt: number;
  status: ExecutionStatus;
  stoppedAt?: number;
}

const NAMES_ARE_KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * `StartExecution` and `DescribeExecution` with the idempotency of standard workflows
 * (https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html): the same name and input while it runs changes
 * nothing, any other use of the name is refused for 90 days. Behind the gateway, or by itself on a port of its own.
 */
export class StepFunctionsServer implements AwsService {
  readonly name = 'states';
  readonly requests: { readonly action: string; readonly body: Record<string, unknown> }[] = [];
  /** told of each execution that really starts, and of its end */
  onStatusChange: ((execution: FakeExecution) => void) | undefined;
  /** with the keys they are encrypted with; when there are any, only these exist */
  private readonly stateMachines = new Map<string, string | undefined>();
  private readonly executions = new Map<string, FakeExecution>();
  private readonly errors: { readonly action: string; readonly code: string; readonly status: number }[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  /** Serves without signatures and policies; `stop` ends it. */
  async listen(): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const principal = { name: 'anybody', account: '123456789012' } as AwsRequest['principal'];
    const server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => void (async () => {
      const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
      const request: AwsRequest = { principal, service: this.name, region: 'us-east-1', headers, body: await text(incoming) };
      const answer = this.answer(request, this.action(request), () => undefined);
      response.writeHead(answer.status, answer.headers).end(answer.body);
    })());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      stop: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  declare({ arn, keyArn }: Encryptable): void {
    this.stateMachines.set(arn, keyArn);
  }

  /** Starts one from outside, as the runner stack does. */
  start(stateMachineArn: string, name: string, input: string): FakeExecution {
    const arn = executionArn(stateMachineArn, name);
    const execution: FakeExecution = { arn, name, input, stateMachineArn, startedAt: this.now(), status: 'RUNNING' };
    this.executions.set(arn, execution);
    this.onStatusChange?.(execution);
    return execution;
  }

  end(name: string, status: Exclude<ExecutionStatus, 'RUNNING'>, at = this.now()): void {
    const execution = this.find(name);
    if (!execution) throw new Error(`there is no execution ${name}`);
    execution.status = status;
    execution.stoppedAt = at;
    this.onStatusChange?.(execution);
  }

  find(name: string): FakeExecution | undefined {
    return this.all().find((execution) => execution.name === name);
  }

  all(): readonly FakeExecution[] {
    return [...this.executions.values()];
  }

  /** The next call of that action fails so. */
  failNext(action: string, code: string, status = 500): void {
    this.errors.push({ action, code, status });
  }

  count(action: string): number {
    return this.requests.filter((request) => request.action === action).length;
  }

  action(request: AwsRequest): AwsAction {
    const body = JSON.parse(request.body) as Record<string, string>;
    const arn = body.stateMachineArn ?? body.executionArn ?? '';
    return { name: jsonTarget(request), resources: [arn] };
  }

  error(code: string, message: string, status: number): AwsAnswer {
    return jsonError(code === 'AccessDenied' ? 'AccessDeniedException' : code, message, code === 'AccessDenied' ? 400 : status);
  }

  answer(request: AwsRequest, { name: action }: AwsAction, useKey: UseKey): AwsAnswer {
    const body = JSON.parse(request.body) as Record<string, string>;
    this.requests.push({ action, body });
    const fault = this.errors.find((error) => error.action === action);
    if (fault) {
      this.errors.splice(this.errors.indexOf(fault), 1);
      return this.error(fault.code, `${fault.code} as arranged`, fault.status);
    }
    // https://docs.aws.amazon.com/step-functions/latest/dg/encryption-at-rest.html
    const use = (arn: string, ...actions: KeyAction[]) => useKey(actions, this.stateMachines.get(arn), { 'aws:states:stateMachineArn': arn });
    if (action === 'StartExecution') return this.startExecution(body, (arn) => use(arn, 'GenerateDataKey', 'Decrypt'));
    if (action === 'DescribeExecution') return this.describeExecution(body, (arn) => use(arn, 'Decrypt'));
    return this.error('UnknownOperationException', action, 400);
  }

  private startExecution({ stateMachineArn = '', name = '', input = '{}' }: Record<string, string>, useKeyOf: (arn: string) => void): AwsAnswer {
    if (!/^arn:[^:]+:states:[^:]+:\d{12}:stateMachine:[^:]+(:[^:]+)?$/.test(stateMachineArn)) return this.error('InvalidArn', `Invalid Arn: ${stateMachineArn}`, 400);
    if (!/^[A-Za-z0-9._-]{1,80}$/.test(name)) return this.error('InvalidName', `Invalid Name: ${name}`, 400);
    if (this.stateMachines.size > 0 && !this.stateMachines.has(unqualified(stateMachineArn))) {
      return this.error('StateMachineDoesNotExist', `State Machine Does Not Exist: '${stateMachineArn}'`, 400);
    }
    if (!isJson(input)) return this.error('InvalidExecutionInput', 'Invalid State Machine Execution Input', 400);
    useKeyOf(unqualified(stateMachineArn));
    const known = this.executions.get(executionArn(stateMachineArn, name));
    const isForgotten = known?.stoppedAt !== undefined && this.now() - known.stoppedAt > NAMES_ARE_KEPT_MS;
    if (known && !isForgotten && (known.status !== 'RUNNING' || known.input !== input)) {
      return this.error('ExecutionAlreadyExists', `Execution Already Exists: '${known.arn}'`, 400);
    }
    const execution = known && !isForgotten ? known : this.start(stateMachineArn, name, input);
    return jsonAnswer({ executionArn: execution.arn, startDate: execution.startedAt / 1000 }, '1.0');
  }

  private describeExecution({ executionArn: arn = '' }: Record<string, string>, useKeyOf: (arn: string) => void): AwsAnswer {
    if (!/^arn:[^:]+:states:[^:]+:\d{12}:execution:[^:]+:[^:]+$/.test(arn)) return this.error('InvalidArn', `Invalid Arn: ${arn}`, 400);
    const execution = this.executions.get(arn);
    if (!execution) return this.error('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`, 400);
    const { name, input, stateMachineArn, startedAt, status, stoppedAt } = execution;
    useKeyOf(unqualified(stateMachineArn));
    return jsonAnswer({
      executionArn: arn,
      stateMachineArn: unqualified(stateMachineArn),
      name,
      status,
      startDate: startedAt / 1000,
      ...(stoppedAt !== undefined && { stopDate: stoppedAt / 1000 }),
      input,
      inputDetails: { included: true },
    }, '1.0');
  }
}

/** Executions belong to the state machine, whichever version or alias they were started with. */
function executionArn(stateMachineArn: string, name: string): string {
  return `${unqualified(stateMachineArn).replace(':stateMachine:', ':execution:')}:${name}`;
}

function unqualified(stateMachineArn: string): string {
  return stateMachineArn.split(':').slice(0, 7).join(':');
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
