import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonTarget, type AwsAction, type AwsAnswer, type AwsRequest, type AwsService } from './aws-service';
import { ClockedProcess } from './clocked-process';
import type { DeclaredQueue } from './declared';
import type { KeyAction, UseKey } from './key-use';
import type { VirtualClock } from './virtual-clock';

export interface QueueContents {
  /** could be received now, or are with a consumer that has used up its visibility timeout */
  readonly due: number;
  /** receipt handles of those that are with a consumer, or came back and wait for the rest of their visibility timeout */
  readonly inFlight: readonly string[];
  readonly delayed: number;
  readonly bodies: readonly string[];
}

const POLL_MILLISECONDS = 40;

interface Inspection {
  readonly messages: {
    readonly ready: readonly Message[];
    readonly delayed: readonly Message[];
    readonly inflight: readonly { readonly message: Message; readonly receiptHandle: string; readonly visibilityDeadline: number }[];
  };
}

interface Message {
  readonly body: string;
  readonly messageGroupId?: string;
  readonly delayUntil?: number;
}

/** SQS is fauxqs; this hands requests on to it and knows which queue of the template is which. */
export class SqsService implements AwsService {
  static async start(clock: VirtualClock): Promise<SqsService> {
    const server = new ClockedProcess(join(__dirname, 'fauxqs-server.mjs'), { env: {}, clock });
    const url = await server.receive(({ listening }) => listening as string | undefined);
    if (url === undefined) throw new Error('fauxqs ended before it listened');
    return new SqsService(server, url, clock);
  }

  readonly name = 'sqs';
  private readonly queues = new Map<string, DeclaredQueue & { readonly internalUrl: string }>();

  /** who has sent a message, by its id; fauxqs knows but one sender */
  private readonly senders = new Map<string, string>();

  private polls = new AbortController();

  private constructor(private readonly server: ClockedProcess, private readonly url: string, private readonly clock: VirtualClock) {}

  /** Creates a queue of the template, or sets the attributes of one that exists. */
  async declare(queue: DeclaredQueue, region: string): Promise<void> {
    const internalUrl = this.queues.get(queue.url)?.internalUrl;
    if (internalUrl) {
      await this.call('SetQueueAttributes', { QueueUrl: internalUrl, Attributes: queue.attributes }, region);
      this.queues.set(queue.url, { ...queue, internalUrl });
      return;
    }
    const created = await this.call('CreateQueue', { QueueName: queue.name, Attributes: queue.attributes }, region) as { QueueUrl: string };
    this.queues.set(queue.url, { ...queue, internalUrl: created.QueueUrl });
  }

  async contents(queueUrl: string): Promise<QueueContents> {
    const response = await fetch(`${this.url}/_fauxqs/queues/${this.known(queueUrl).name}`);
    const { messages: { ready, delayed, inflight } } = await response.json() as Inspection;
    const now = this.clock.now();
    const invisible = inflight.filter(({ visibilityDeadline }) => visibilityDeadline > now);
    const delayOver = delayed.filter(({ delayUntil = 0 }) => delayUntil <= now);
    // one message that is away holds up the whole rest of its group
    const heldUp = new Set(invisible.flatMap(({ message }) => message.messageGroupId ?? []));
    const due = [...ready, ...delayOver].filter(({ messageGroupId = '' }) => !heldUp.has(messageGroupId));
    return {
      due: due.length + inflight.length - invisible.length,
      inFlight: invisible.map(({ receiptHandle }) => receiptHandle),
      delayed: delayed.length - delayOver.length,
      bodies: [...ready, ...delayed, ...inflight.map(({ message }) => message)].map(({ body }) => body),
    };
  }

  /** IAM knows no batches: `SendMessageBatch` needs `sqs:SendMessage`. */
  action(request: AwsRequest): AwsAction {
    const { QueueUrl } = JSON.parse(request.body) as { QueueUrl: string };
    return { name: jsonTarget(request).replace(/Batch$/, ''), resources: [this.queues.get(QueueUrl)?.arn ?? '*'] };
  }

  error(code: string, message: string, status: number): AwsAnswer {
    return {
      status,
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-query-error': `${code};Sender` },
      body: JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message }),
    };
  }

  /** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html */
  async answer(request: AwsRequest, { name }: AwsAction, useKey: UseKey): Promise<AwsAnswer> {
    const body = JSON.parse(request.body) as { QueueUrl: string };
    const queue = this.queues.get(body.QueueUrl);
    if (!queue) return this.error('QueueDoesNotExist', 'The specified queue does not exist.', 400);
    const forwarded = { ...body, QueueUrl: queue.internalUrl };
    const use = (...actions: KeyAction[]) => useKey(actions, queue.keyArn, { 'aws:sqs:arn': queue.arn });
    if (name === 'ReceiveMessage') {
      const received = this.withSenders(await this.poll(forwarded, request.region));
      // an empty queue leaves nothing to decrypt
      if (hasMessages(received)) use('Decrypt');
      return received;
    }
    // a new data key is decrypted at once, to check it
    if (name === 'SendMessage') use('GenerateDataKey', 'Decrypt');
    const answer = await this.forward(jsonTarget(request), forwarded, request.region);
    this.remember(request, answer);
    return answer;
  }

  /** Lets no poll wait any longer, neither those under way nor later ones, while the pollers are being stopped. */
  async withoutWaiting(stopped: () => Promise<unknown>): Promise<void> {
    this.polls.abort();
    await stopped();
    this.polls = new AbortController();
  }

  async stop(): Promise<void> {
    await this.server.kill();
  }

  /** Waits here and not in fauxqs, which would hand messages to a poller that has given up. */
  private async poll(body: { readonly QueueUrl: string; readonly WaitTimeSeconds?: number }, region: string): Promise<AwsAnswer> {
    const { signal } = this.polls;
    const until = Date.now() + (body.WaitTimeSeconds ?? 0) * 1000;
    for (;;) {
      const answer = await this.forward('ReceiveMessage', { ...body, WaitTimeSeconds: 0 }, region);
      if (answer.status !== 200 || hasMessages(answer) || signal.aborted || Date.now() >= until) return answer;
      await sleep(POLL_MILLISECONDS);
    }
  }

  private remember({ principal }: AwsRequest, answer: AwsAnswer): void {
    if (answer.status !== 200 || principal.userId === undefined) return;
    const { MessageId, Successful = [] } = JSON.parse(answer.body || '{}') as { MessageId?: string; Successful?: { MessageId?: string }[] };
    for (const id of [MessageId, ...Successful.map((sent) => sent.MessageId)]) {
      // a duplicate is answered with the id of the message that is there already, and stays its first sender's
      if (id !== undefined && !this.senders.has(id)) this.senders.set(id, principal.userId);
    }
  }

  /** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html */
  private withSenders(answer: AwsAnswer): AwsAnswer {
    if (answer.status !== 200) return answer;
    const body = JSON.parse(answer.body) as { Messages?: { MessageId: string; Attributes?: Record<string, string> }[] };
    for (const { MessageId, Attributes } of body.Messages ?? []) {
      if (Attributes?.SenderId !== undefined) Attributes.SenderId = this.senders.get(MessageId) ?? Attributes.SenderId;
    }
    return { ...answer, body: JSON.stringify(body) };
  }

  private known(queueUrl: string): DeclaredQueue {
    const queue = this.queues.get(queueUrl);
    if (!queue) throw new Error(`no queue '${queueUrl}'`);
    return queue;
  }

  private async call(action: string, body: object, region: string): Promise<unknown> {
    const answer = await this.forward(action, body, region);
    if (answer.status !== 200) throw new Error(`fauxqs refused ${action}: ${answer.body}`);
    return JSON.parse(answer.body);
  }

  private async forward(action: string, body: object, region: string): Promise<AwsAnswer> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `AmazonSQS.${action}`,
        // fauxqs reads the region out of the signature's scope
        'authorization': `AWS4-HMAC-SHA256 Credential=local/20260101/${region}/sqs/aws4_request, SignedHeaders=host, Signature=0`,
      },
      body: JSON.stringify(body),
    });
    const headers = Object.fromEntries(['content-type', 'x-amzn-query-error'].flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    }));
    return { status: response.status, headers, body: await response.text() };
  }
}

function hasMessages({ status, body }: AwsAnswer): boolean {
  return status === 200 && 'Messages' in (JSON.parse(body) as object);
}
