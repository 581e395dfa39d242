import { createHash, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { SqsServer } from './sqs-server';
import { reportQueue } from '../../../lambda-src/aws/report-queue';
import { Deadline } from '../../../lambda-src/shared/deadline';
import { DeadlineError, TransientError } from '../../../lambda-src/shared/errors';
import { parseReport } from '../../../lambda-src/stolen/report';
import type { ReportMessage } from '../../../src/contract/report-message';
import { recordedLog } from '../compute/recorded-log';

let server: SqsServer;
let client: SQSClient;
let queueUrl: string;
const log = recordedLog();

beforeAll(async () => {
  server = await SqsServer.start();
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' };
  client = new SQSClient({ region: 'us-east-1', endpoint: server.url, credentials, maxAttempts: 1 });
});

afterAll(() => server.stop());

beforeEach(async () => {
  queueUrl = (await client.send(new CreateQueueCommand({ QueueName: `${randomUUID()}.fifo`, Attributes: { FifoQueue: 'true' } }))).QueueUrl!;
  server.reset();
});

const queue = (deadline = Deadline.after(60_000)) => reportQueue({ client, queueUrl, deadline, log });
const report = (runnerName: string, source: 'log' | 'signed' = 'log'): ReportMessage => ({ version: 1, source, runnerName, repository: 'acme/app', runId: 1 });
const many = (count: number) => Array.from({ length: count }, (_, index) => report(`R${index}`));

async function receive() {
  const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }));
  return Messages;
}

async function waiting(): Promise<number> {
  const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }));
  return Number(Attributes!.ApproximateNumberOfMessages);
}

test('a report arrives as the judge reads it, in the group of its runner', async () => {
  expect(await queue().send([report('R1')])).toEqual([]);

  const [message] = await receive();
  expect(parseReport(message!.Body!)).toEqual(report('R1'));
  expect(message!.Attributes!.MessageGroupId).toBe('R1');
});

test('the same report twice is one; the signed one is not swallowed by the one from a log', async () => {
  await queue().send([report('R1')]);
  await queue().send([report('R1'), { ...report('R1'), repository: 'other/tools' }, report('R1', 'signed'), report('R1', 'signed')]);

  expect(await waiting()).toBe(2);
});

test('many reports go in batches of ten', async () => {
  expect(await queue().send(many(23))).toEqual([]);
  expect(server.requests.map(({ body }) => (body.Entries as unknown[]).length)).toEqual([10, 10, 3]);
});

test('nothing to send costs no request', async () => {
  expect(await queue().send([])).toEqual([]);
  expect(server.requests).toEqual([]);
});

test('what the queue refuses comes back, its neighbours are sent', async () => {
  server.failNext((response, body) => {
    const [first] = (JSON.parse(body) as { Entries: { MessageBody: string }[] }).Entries;
    const MD5OfMessageBody = createHash('md5').update(first!.MessageBody).digest('hex');
    response.end(JSON.stringify({ Successful: [{ Id: '0', MessageId: 'm', MD5OfMessageBody }], Failed: [{ Id: '1', Code: 'InternalError', SenderFault: false }] }));
  });

  expect(await queue().send([report('R0'), report('R1')])).toEqual([report('R1')]);
});

test.each([
  ['an error', (response: ServerResponse) => void response.writeHead(500).end('{}')],
  ['a 200 that confirms nothing', (response: ServerResponse) => void response.end('{}')],
  ['a broken connection', (response: ServerResponse) => void response.destroy()],
])('%s for one batch gives back that batch and sends the others', async (_, fault) => {
  server.failNext(fault);

  expect(await queue().send(many(12))).toEqual(many(10));
  expect(await waiting()).toBe(2);
});

test('no time left: nothing is sent, and everything comes back', async () => {
  expect(await queue(Deadline.after(5000)).send(many(2))).toEqual(many(2));
  expect(server.requests).toEqual([]);
});

test('a received report can be hidden for a while', async () => {
  await queue().send([report('R1')]);
  const [message] = await receive();
  await queue().postpone(message!.ReceiptHandle!, 0);
  expect(await receive()).toHaveLength(1);
});

test('a report that cannot be hidden is a transient failure', async () => {
  await expect(queue().postpone('nonsense', 30)).rejects.toThrow(TransientError);
  await expect(queue(Deadline.after(5000)).postpone('nonsense', 30)).rejects.toThrow(DeadlineError);
});
