import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import { AwsGateway } from './aws-gateway';
import { declaredEventSources, declaredFunctions, declaredQueues, declaredRules, type DeclaredFunction, type DeclaredRule } from './declared';
import { Ec2Service } from './ec2-service';
import { matchesEventPattern } from './event-pattern';
import { EventPump } from './event-pump';
import type { InvocationResult } from './function-process';
import { GitHubProxy } from './github-proxy';
import { lambdaEnvironment } from './lambda-environment';
import { LocalFunction } from './local-function';
import { matchesPattern } from './permissions';
import { statementsOf } from './policies';
import { SecretsService } from './secrets-service';
import { SqsService } from './sqs-service';
import { SsmService } from './ssm-service';
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

/**
 * As much of AWS as the synthesised template needs, on loopback, with nothing but Node: every function in processes of its own, every
 * call over HTTP, checked against the template's policies and recorded.
 */
export class LocalCloud {
  static async start(options: LocalCloudOptions): Promise<LocalCloud> {
    const { clock, github, githubHosts = ['api.github.com', 'github.com'] } = options;
    const [gateway, sqs, proxy, directory] = await Promise.all([
      AwsGateway.start(clock.now), SqsService.start(clock), GitHubProxy.start(githubHosts, github), mkdtemp(join(tmpdir(), 'local-cloud-')),
    ]);
    await writeFile(join(directory, 'certificate.pem'), proxy.certificate);
    return new LocalCloud(options, gateway, sqs, proxy, directory);
  }

  readonly ec2 = new Ec2Service(ACCOUNT);
  readonly secrets = new SecretsService();
  readonly ssm = new SsmService();
  readonly sts: StsService;
  private readonly functions = new Map<string, LocalFunction>();
  private readonly everyFunction: LocalFunction[] = [];
  private pumps: EventPump[] = [];
  private rules: readonly DeclaredRule[] = [];
  private deployed: Template | undefined;

  private constructor(
    private readonly options: LocalCloudOptions,
    readonly gateway: AwsGateway,
    readonly sqs: SqsService,
    readonly proxy: GitHubProxy,
    private readonly directory: string,
  ) {
    this.sts = new StsService(gateway.principals);
    gateway.serveAs(this.ec2, this.secrets, this.ssm, this.sts, sqs);
  }

  get clock(): VirtualClock {
    return this.options.clock;
  }

  get region(): string {
    return this.options.region ?? 'eu-west-1';
  }

  get template(): Template {
    if (!this.deployed) throw new Error('nothing is deployed yet');
    return this.deployed;
  }

  /** Every line that any function has written since the start, also those of functions that a later deployment has replaced. */
  get logs(): readonly string[] {
    return this.everyFunction.flatMap(({ logs }) => logs);
  }

  /** Creates what a cloud assembly's only stack declares, or updates it: queues keep their messages, functions are replaced. */
  async deploy(assembly: string): Promise<void> {
    const template = Template.read(assembly, { account: ACCOUNT, region: this.region, endpoint: this.gateway.url });
    await this.stopFunctions();
    this.deployed = template;
    const queues = declaredQueues(template);
    for (const queue of queues) await this.sqs.declare(queue, this.region);
    for (const declared of declaredFunctions(template)) this.functions.set(declared.name, this.create(declared, template));
    this.pumps = declaredEventSources(template).map((source) => {
      const queue = queues.find(({ arn }) => arn === source.queueArn);
      if (!queue) throw new Error(`event source '${source.queueArn}' is not a queue of the template`);
      return new EventPump(source, queue, this.byName(source.functionName), this.sqsClient(source.functionName), this.region);
    });
    this.rules = declaredRules(template);
  }

  /** The function whose logical id contains the text. */
  function(part: string): LocalFunction {
    const found = [...this.functions.values()].filter(({ declared }) => declared.logicalId.includes(part));
    if (found.length !== 1) throw new Error(`'${part}' must name one function, got ${found.map(({ declared }) => declared.logicalId).join(', ') || 'none'}`);
    return found[0]!;
  }

  /** Fires every schedule once. */
  async runSchedules(): Promise<readonly InvocationResult[]> {
    return this.fire(this.rules.filter(({ schedule }) => schedule !== undefined), (rule) => this.event('aws.events', 'Scheduled Event', {}, [rule.arn]));
  }

  /** Puts an event on the bus: every rule whose pattern selects it invokes its targets. */
  async putEvent(source: string, detailType: string, detail: Record<string, unknown>): Promise<readonly InvocationResult[]> {
    const event = this.event(source, detailType, detail, []);
    return this.fire(this.rules.filter(({ pattern }) => pattern !== undefined && matchesEventPattern(pattern, event)), () => event);
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
      if (quiet.every(Boolean)) return;
      await sleep(20);
    }
  }

  async stop(): Promise<void> {
    await this.stopFunctions();
    await Promise.all([this.gateway.stop(), this.sqs.stop(), this.proxy.stop(), rm(this.directory, { recursive: true, force: true })]);
  }

  private create(declared: DeclaredFunction, template: Template): LocalFunction {
    const accessKey = accessKeyOf(declared.name);
    this.gateway.principals.set(accessKey, { name: declared.name, account: ACCOUNT, statements: statementsOf(template, declared.roleArn) });
    const network = this.proxy.environment(join(this.directory, 'certificate.pem'));
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

  private async fire(rules: readonly DeclaredRule[], event: (rule: DeclaredRule) => object): Promise<readonly InvocationResult[]> {
    return Promise.all(rules.flatMap((rule) => rule.targetArns.map((arn) => {
      const target = [...this.functions.values()].find(({ declared }) => declared.arn === arn);
      if (!target) throw new Error(`rule '${rule.logicalId}' targets '${arn}', which is not a function of the template`);
      if (!this.mayInvoke(rule, arn)) throw new Error(`no permission lets rule '${rule.logicalId}' invoke '${arn}'`);
      return target.invoke(event(rule));
    })));
  }

  private mayInvoke(rule: DeclaredRule, functionArn: string): boolean {
    return this.template.ofType('AWS::Lambda::Permission').some(({ properties }) => properties.Principal === 'events.amazonaws.com'
      && properties.FunctionName === functionArn && matchesPattern(String(properties.SourceArn ?? '*'), rule.arn));
  }

  private event(source: string, detailType: string, detail: Record<string, unknown>, resources: readonly string[]): Record<string, unknown> {
    const time = new Date(this.clock.now()).toISOString();
    return { 'version': '0', 'id': time, source, 'detail-type': detailType, 'account': ACCOUNT, time, 'region': this.region, resources, detail };
  }

  private byName(name: string): LocalFunction {
    const found = this.functions.get(name);
    if (!found) throw new Error(`no function '${name}' in the template`);
    return found;
  }

  private async stopFunctions(): Promise<void> {
    await this.sqs.withoutWaiting(() => Promise.all(this.pumps.splice(0).map((pump) => pump.stop())));
    await Promise.all([...this.functions.values()].map((each) => each.kill()));
    this.functions.clear();
  }
}

function accessKeyOf(functionName: string): string {
  return `AKIA-${functionName}`;
}
