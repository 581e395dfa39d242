import {
  DeleteMessageBatchCommand, GetQueueAttributesCommand, ReceiveMessageCommand, type Message, type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { DeclaredEventSource, DeclaredQueue } from './declared';
import type { InvocationResult } from './function-process';
import type { LocalFunction } from './local-function';

/**
 * An event source mapping: polls the queue with the function's own permissions, as Lambda does, hands batches to the function, and
 * deletes what it has not returned. It is as parallel as the template allows.
 */
export class EventPump {
  private stopping = false;
  private readonly pollers: Promise<void>[];
  /** receipt handles of messages that the function has returned */
  private readonly returned = new Set<string>();
  private running = 0;
  private failure: unknown;

  /** @param client signs with the function's access key */
  constructor(
    private readonly declared: DeclaredEventSource,
    readonly queue: DeclaredQueue,
    private readonly target: LocalFunction,
    private readonly client: SQSClient,
    private readonly region: string,
  ) {
    this.pollers = Array.from({ length: declared.maxConcurrency }, () => this.poll().catch((error: unknown) => { this.failure ??= error; }));
  }

  /** Whether nothing is being worked on and every message in flight has been returned. Throws if polling itself has failed. */
  isIdle(inFlight: readonly string[]): boolean {
    if (this.failure !== undefined) throw new Error(`polling '${this.queue.name}' failed`, { cause: this.failure });
    return this.running === 0 && inFlight.every((receiptHandle) => this.returned.has(receiptHandle));
  }

  /** Resolves once the polls that are under way have been answered: one that is cut off would take messages with it. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.pollers);
    this.client.destroy();
  }

  private async poll(): Promise<void> {
    await this.client.send(new GetQueueAttributesCommand({ QueueUrl: this.queue.url, AttributeNames: ['All'] }));
    while (!this.stopping) {
      const { Messages = [] } = await this.client.send(new ReceiveMessageCommand({
        QueueUrl: this.queue.url, MaxNumberOfMessages: Math.min(10, this.declared.batchSize), WaitTimeSeconds: 20, MessageSystemAttributeNames: ['All'],
      }));
      if (Messages.length > 0) await this.handle(Messages);
    }
  }

  private async handle(messages: readonly Message[]): Promise<void> {
    this.running++;
    try {
      const result = await this.target.invoke({ Records: messages.map((message) => this.record(message)) } satisfies SQSEvent);
      const returned = this.returnedBy(result, messages);
      const done = messages.filter(({ MessageId }) => !returned.has(MessageId!));
      for (const { MessageId, ReceiptHandle } of messages) if (returned.has(MessageId!)) this.returned.add(ReceiptHandle!);
      if (done.length === 0) return;
      await this.client.send(new DeleteMessageBatchCommand({
        QueueUrl: this.queue.url, Entries: done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
      }));
    } finally {
      this.running--;
    }
  }

  /** Identifiers of the messages that come back after their visibility timeout. */
  private returnedBy(result: InvocationResult, messages: readonly Message[]): ReadonlySet<string> {
    if (result.kind !== 'returned') return new Set(messages.map(({ MessageId }) => MessageId!));
    return this.declared.reportsBatchItemFailures ? failures(result.value, messages) : new Set();
  }

  private record(message: Message): SQSRecord {
    return {
      messageId: message.MessageId!,
      receiptHandle: message.ReceiptHandle!,
      body: message.Body!,
      attributes: message.Attributes as unknown as SQSRecord['attributes'],
      messageAttributes: {},
      md5OfBody: message.MD5OfBody!,
      eventSource: 'aws:sqs',
      eventSourceARN: this.queue.arn,
      awsRegion: this.region,
    };
  }
}

/** Lambda takes an identifier that it does not know, or a misshapen list, for the failure of the whole batch. */
function failures(value: unknown, messages: readonly Message[]): ReadonlySet<string> {
  const all = new Set(messages.map(({ MessageId }) => MessageId!));
  const { batchItemFailures } = (value ?? {}) as Partial<SQSBatchResponse>;
  if (batchItemFailures === undefined || batchItemFailures === null) return new Set();
  const ids = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  return ids.every((id) => all.has(id)) ? new Set(ids) : all;
}
