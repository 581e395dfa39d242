import { ChangeMessageVisibilityCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { FifoQueue } from './fifo-queue';
import { CONFIRMATION, CONFIRMATION_QUEUE } from '../../src/contract/limits';

const QueueUrl = 'confirmation';
const DELAY = CONFIRMATION_QUEUE.delaySeconds * 1000;
const VISIBILITY = CONFIRMATION_QUEUE.visibilitySeconds * 1000;

let now: number;
let queue: FifoQueue;

beforeEach(() => {
  now = 0;
  queue = new FifoQueue(() => now);
});

async function send(body: string, group = body, deduplication = body): Promise<void> {
  const entry = { Id: '0', MessageBody: body, MessageGroupId: group, MessageDeduplicationId: deduplication };
  await queue.client.send(new SendMessageBatchCommand({ QueueUrl, Entries: [entry] }));
}

const receive = () => queue.receive().map(({ body }) => body);

test('nothing is received before the delay is over', async () => {
  await send('a');
  now = DELAY - 1;
  expect(receive()).toEqual([]);
  now = DELAY;
  expect(receive()).toEqual(['a']);
});

test('what is received is hidden until its visibility timeout, and its group with it', async () => {
  await send('a', 'group', '1');
  now = DELAY;
  expect(receive()).toEqual(['a']);
  await send('b', 'group', '2');
  await send('c');
  now = DELAY + VISIBILITY - 1;
  expect(receive()).toEqual([]);
  now = 2 * DELAY;
  expect(receive()).toEqual(['a', 'b', 'c']);
});

test('a message is dropped when its deduplication id was used within five minutes, also when the other one is gone', async () => {
  await send('a', 'group', 'same');
  now = 299_999;
  await send('b', 'group', 'same');
  now = 300_000;
  await send('c', 'group', 'same');
  now += DELAY;
  expect(receive()).toEqual(['a', 'c']);
});

test('a batch is never larger than the function takes', async () => {
  for (let n = 0; n < CONFIRMATION.batchSize + 1; n += 1) await send(String(n));
  now = DELAY;
  expect(receive()).toHaveLength(CONFIRMATION.batchSize);
  expect(receive()).toEqual([String(CONFIRMATION.batchSize)]);
});

test('after so many receives it goes to the dead letters, and a deleted one nowhere', async () => {
  await send('kept');
  await send('deleted');
  now = DELAY;
  queue.delete(queue.receive().find(({ body }) => body === 'deleted')!.messageId);
  for (let n = 1; n < CONFIRMATION_QUEUE.maxReceives; n += 1) {
    now += VISIBILITY;
    expect(receive()).toEqual(['kept']);
  }
  now += VISIBILITY;
  expect(receive()).toEqual([]);
  expect(queue.deadLetters.map(({ body }) => body)).toEqual(['kept']);
});

test('a changed visibility counts from now', async () => {
  await send('a');
  now = DELAY;
  const [message] = queue.receive();
  await queue.client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: message!.receiptHandle, VisibilityTimeout: 30 }));
  now += 29_999;
  expect(receive()).toEqual([]);
  now += 1;
  expect(receive()).toEqual(['a']);
});
