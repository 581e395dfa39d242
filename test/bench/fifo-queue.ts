import type { SQSClient } from '@aws-sdk/client-sqs';
import { ChangeMessageVisibilityCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import type { Received } from '../../lambda-src/janitor/confirm';
import { CONFIRMATION, CONFIRMATION_QUEUE } from '../../src/contract/limits';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html */
const DEDUPLICATION_MS = 300_000;

interface Message {
  readonly received: Received;
  readonly group: string;
  visibleAt: number;
  receives: number;
}

/** The confirmation queue under a virtual clock: delay, visibility, message groups, deduplication and the way to the dead letters. */
export class FifoQueue {
  readonly deadLetters: Received[] = [];
  /** in the order of arrival */
  private readonly messages = new Map<string, Message>();
  private sent = 0;
  private readonly deduplicated = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  /** For the two commands that the janitor's functions send. */
  get client(): SQSClient {
    return { send: async (command: unknown) => this.execute(command) } as unknown as SQSClient;
  }

  /** Another message of a group is received only when the one before it is gone. */
  receive(): readonly Received[] {
    const batch: Message[] = [];
    const blocked = new Set<string>();
    for (const message of this.messages.values()) {
      if (batch.length === CONFIRMATION.batchSize) break;
      const waits = blocked.has(message.group) || message.visibleAt > this.now();
      if (waits) blocked.add(message.group);
      else if (message.receives >= CONFIRMATION_QUEUE.maxReceives) this.giveUp(message);
      else batch.push(message);
    }
    for (const message of batch) {
      message.receives += 1;
      message.visibleAt = this.now() + CONFIRMATION_QUEUE.visibilitySeconds * 1000;
    }
    return batch.map(({ received }) => received);
  }

  delete(messageId: string): void {
    this.messages.delete(messageId);
  }

  private giveUp({ received }: Message): void {
    this.messages.delete(received.messageId);
    this.deadLetters.push(received);
  }

  private execute(command: unknown): unknown {
    if (command instanceof SendMessageBatchCommand) return this.add(command);
    if (command instanceof ChangeMessageVisibilityCommand) return this.hide(command);
    throw new Error(`the queue knows no ${String(command)}`);
  }

  private add({ input }: SendMessageBatchCommand): unknown {
    const now = this.now();
    for (const { MessageBody, MessageGroupId, MessageDeduplicationId } of input.Entries ?? []) {
      if (now - (this.deduplicated.get(MessageDeduplicationId!) ?? -Infinity) < DEDUPLICATION_MS) continue;
      this.deduplicated.set(MessageDeduplicationId!, now);
      const messageId = String(this.sent += 1);
      this.messages.set(messageId, {
        received: { messageId, receiptHandle: messageId, body: MessageBody!, sentAt: now, fromFirstLook: true },
        group: MessageGroupId!,
        visibleAt: now + CONFIRMATION_QUEUE.delaySeconds * 1000,
        receives: 0,
      });
    }
    return { Successful: input.Entries?.map(({ Id }) => ({ Id })) };
  }

  private hide({ input }: ChangeMessageVisibilityCommand): unknown {
    const message = this.messages.get(input.ReceiptHandle!);
    if (message) message.visibleAt = this.now() + input.VisibilityTimeout! * 1000;
    return {};
  }
}
