import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import { AwsGateway } from './aws-gateway';
import {
  declaredEventSources, declaredFunctions, declaredQueues, declaredRules, declaredSecrets, declaredStateMachines, declaredTables,
  type DeclaredFunction,
} from './declared';
import { DynamoDbService } from './dynamodb-service';
import { Ec2Service } from './ec2-service';
import { EventBus } from './event-bus';
import { EventPump } from './event-pump';
import type { InvocationResult } from './function-process';
import { FunctionUrls } from './function-urls';
import { GitHubProxy } from './github-proxy';
import { lambdaEnvironment } from './lambda-environment';
import { LocalFunction } from './local-function';
import { LogSubscriptions } from './log-subscriptions';
import { roleIdOf, statementsOf } from './policies';
import { SecretsService } from './secrets-service';
import { SqsService } from './sqs-service';
import { SsmService } from './ssm-service';
import { StepFunctionsServer, type FakeExecution } from './step-functions-server';
import { StsService } from './sts-service';
import { Template } from './template';
import type { VirtualClock } from './virtual-clock';

/** fauxqs gives its queues this account, so the local cloud is in it as well. */
export const ACCOUNT = '000000000000';

export interface LocalCloudOptions {
  readonly clock: VirtualClock;
  /** who answers for GitHub */
  readonly github: RequestListener;
  /** host names that GitHub answers to; all others are refused */
  readonly githubHosts?: readonly string[];
  readonly region?: string;
  /** factor by which the functions' short waits are shortened */
  readonly compression?: number;
}

interface Started {
  readonly gateway: AwsGateway;
  readonly sqs: SqsService;
  readonly dynamodb: DynamoDbService;
  readonly urls: FunctionUrls;
  readonly proxy: GitHubProxy;
  readonly directory: string;
}

/**
 * As much of AWS as the synthesised template needs, on loopback, with nothing but Node: every function in processes of its own, every
 * call over HTTP, checked against the template's policies and recorded.
 */
export class LocalCloud {
  static async start(options: LocalCloudOptions): Promise<LocalCloud> {
    const { clock, github, githubHosts = ['api.github.com', 'github.com'] } = options;
    const [gateway, sqs, dynamodb, urls, proxy, directory] = await Promise.all([
      AwsGateway.start(clock.now), SqsService.start(clock), DynamoDbService.start(ACCOUNT), FunctionUrls.start(),
      GitHubProxy.start(githubHosts, github), mkdtemp(join(tmpdir(), 'local-cloud-')),
    ]);
    await writeFile(join(directory, 'certificate.pem'), proxy.certificate);
    return new LocalCloud(options, { gateway, sqs, dynamodb, urls, proxy, directory });
  }

  readonly gateway: AwsGateway;
  readonly sqs: SqsService;
  readonly dynamodb: DynamoDbService;
  readonly proxy: GitHubProxy;

  readonly ec2 = new Ec2Service(ACCOUNT);
  readonly secrets = new SecretsService();
  readonly ssm = new SsmService();
  readonly sts: StsService;
  readonly stepFunctions: StepFunctionsServer;
  private readonly functions = new Map<string, LocalFunction>();
  private readonly everyFunction: LocalFunction[] = [];
  private pumps: EventPump[] = [];
  private deployed: { readonly template: Template; readonly bus: EventBus; readonly logs: LogSubscriptions } | undefined;
  /** events on their way, of which nobody waits for the outcome */
  private readonly underWay = new Set<Promise<unknown>>();

  private constructor(private readonly options: LocalCloudOptions, private readonly started: Started) {
    ({ gateway: this.gateway, sqs: this.sqs, dynamodb: this.dynamodb, proxy: this.proxy } = started);
    this.sts = new StsService(this.gateway.principals);
    this.stepFunctions = new StepFunctionsServer(this.clock.now);
    this.stepFunctions.onStatusChange = (execution) => this.announce(execution);
    this.gateway.serveAs(this.ec2, this.secrets, this.ssm, this.sts, this.sqs, this.dynamodb, this.stepFunctions);
  }

  get clock(): VirtualClock {
    return this.options.clock;
  }

  get region(): string {
    return this.options.region ?? 'eu-west-1';
  }

  get template(): Template {
    return this.running.template;
  }

  /** Every line that any function has written since the start, also those of functions that a later deployment has replaced. */
  get logs(): readonly string[] {
    return this.everyFunction.flatMap(({ logs }) => logs);
  }

  /** Creates what a cloud assembly's only stack declares, or updates it: queues keep their messages, functions are replaced. */
  async deploy(assembly: string): Promise<void> {
    const template = Template.read(assembly, { account: ACCOUNT, region: this.region, endpoint: this.gateway.url });
    await this.stopFunctions();
    const queues = declaredQueues(template);
    for (const queue of queues) await this.sqs.declare(queue, this.region);
    for (const table of declaredTables(template)) await this.dynamodb.declare(table);
    for (const secret of declaredSecrets(template)) this.secrets.declare(secret);
    for (const stateMachine of declaredStateMachines(template)) this.stepFunctions.declare(stateMachine);
    for (const declared of declaredFunctions(template)) this.functions.set(declared.name, this.create(declared, template));
    this.pumps = declaredEventSources(template).map((source) => {
      const queue = queues.find(({ arn }) => arn === source.queueArn);
      if (!queue) throw new Error(`event source '${source.queueArn}' is not a queue of the template`);
      return new EventPump(source, queue, this.byName(source.functionName), this.sqsClient(source.functionName), this.region);
    });
    const functionOf = (arn: string) => [...this.functions.values()].find(({ declared }) => declared.arn === arn);
    const parts = { template, functionOf, now: this.clock.now };
    this.deployed = { template, bus: new EventBus({ ...parts, rules: declaredRules(template) }), logs: new LogSubscriptions(parts) };
    this.started.urls.deploy(parts);
    await this.deployed.logs.control();
  }

  /** The function whose logical id contains the text. */
  function(part: string): LocalFunction {
    const found = [...this.functions.values()].filter(({ declared }) => declared.logicalId.includes(part));
    if (found.length !== 1) throw new Error(`'${part}' must name one function, got ${found.map(({ declared }) => declared.logicalId).join(', ') || 'none'}`);
    return found[0]!;
  }

  /** Fires every schedule once. */
  async runSchedules(): Promise<readonly InvocationResult[]> {
    return this.running.bus.runSchedules();
  }

  /** Puts an event on the bus: every rule whose pattern selects it invokes its targets. */
  async putEvent(source: string, detailType: string, detail: Record<string, unknown>): Promise<readonly InvocationResult[]> {
    return this.running.bus.put(source, detailType, detail);
  }

  /** Writes lines to the log group whose logical id contains the text: they are delivered to whoever has subscribed to it. */
  async putLogLines(part: string, lines: readonly string[]): Promise<readonly InvocationResult[]> {
    return this.running.logs.put(this.template.ref(this.template.only('AWS::Logs::LogGroup', part).logicalId), lines);
  }

  /** The address of the function whose logical id contains the text. */
  functionUrl(part: string): string {
    return this.started.urls.of(this.function(part));
  }

  /** Puts a message on a queue with the permissions of a function, as another part of a stack would. */
  async sendMessage(functionName: string, queueUrl: string, body: string, group: string): Promise<void> {
    const client = this.sqsClient(functionName);
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, MessageGroupId: group, MessageDeduplicationId: group }));
    client.destroy();
  }

  /** Resolves when no message can be received at this time and no consumer is at work. */
  async settle(): Promise<void> {
    for (;;) {
      const quiet = await Promise.all(this.pumps.map(async (pump) => {
        const { due, inFlight } = await this.sqs.contents(pump.queue.url);
        return pump.isIdle(inFlight) && due === 0;
      }));
      if (quiet.every(Boolean) && this.underWay.size === 0) return;
      await sleep(20);
    }
  }

  async stop(): Promise<void> {
    await this.stopFunctions();
    const { urls, directory } = this.started;
    const parts = [this.gateway, this.sqs, this.dynamodb, urls, this.proxy];
    await Promise.all([...parts.map((part) => part.stop()), rm(directory, { recursive: true, force: true })]);
    if (urls.failures.length > 0) throw new AggregateError(urls.failures, 'function URLs failed');
  }

  private get running() {
    if (!this.deployed) throw new Error('nothing is deployed yet');
    return this.deployed;
  }

  /** https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html */
  private announce({ arn, name, input, stateMachineArn, status, startedAt, stoppedAt }: FakeExecution): void {
    const detail = { executionArn: arn, stateMachineArn, name, status, startDate: startedAt, stopDate: stoppedAt ?? null, input };
    const delivered = this.putEvent('aws.states', 'Step Functions Execution Status Change', detail)
      .catch((error: unknown) => { this.gateway.failures.push(error); })
      .finally(() => this.underWay.delete(delivered));
    this.underWay.add(delivered);
  }

  private create(declared: DeclaredFunction, template: Template): LocalFunction {
    const accessKey = accessKeyOf(declared.name);
    this.gateway.principals.set(accessKey, {
      name: declared.name,
      account: ACCOUNT,
      // Lambda calls the session of a function's role by the function's name
      userId: `${roleIdOf(template, declared.roleArn)}:${declared.name}`,
      statements: statementsOf(template, declared.roleArn),
    });
    const network = this.proxy.environment(join(this.started.directory, 'certificate.pem'));
    const environment = lambdaEnvironment(declared, { region: this.region, gatewayUrl: this.gateway.url, accessKey, network });
    const created = new LocalFunction({ declared, environment, clock: this.clock, compression: this.options.compression ?? 1 });
    this.everyFunction.push(created);
    return created;
  }

  private sqsClient(functionName: string): SQSClient {
    return new SQSClient({
      region: this.region, endpoint: this.gateway.url, credentials: { accessKeyId: accessKeyOf(functionName), secretAccessKey: 'local' },
    });
  }

  private byName(name: string): LocalFunction {
    const found = this.functions.get(name);
    if (!found) throw new Error(`no function '${name}' in the template`);
    return found;
  }

  private async stopFunctions(): Promise<void> {
    await this.sqs.withoutWaiting(() => Promise.all(this.pumps.splice(0).map((pump) => pump.stop())));
    await Promise.all([...this.functions.values()].map((each) => each.remove()));
    await Promise.all(this.underWay);
    this.functions.clear();
  }
}

function accessKeyOf(functionName: string): string {
  return `AKIA-${functionName}`;
}
