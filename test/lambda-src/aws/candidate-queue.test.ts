import { createHash, randomUUID } from 'node:crypto';
import type { Message } from '@aws-sdk/client-sqs';
import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SqsFault } from './sqs-server';
import { SqsServer } from './sqs-server';
import { candidateQueue } from '../../../lambda-src/aws/candidate-queue';
import type { CandidateQueue } from '../../../lambda-src/janitor/ports';
import { Deadline } from '../../../lambda-src/shared/deadline';
import { DeadlineError, TransientError } from '../../../lambda-src/shared/errors';
import type { CandidateMessage } from '../../../src/contract/candidate-message';
import { recordedLog } from '../compute/recorded-log';

let server: SqsServer;
let client: SQSClient;
let queueUrl: string;
let log: ReturnType<typeof recordedLog>;

beforeAll(async () => {
  server = await SqsServer.start();
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' };
  client = new SQSClient({ region: 'us-east-1', endpoint: server.url, credentials, maxAttempts: 1 });
});

afterAll(async () => {
  await server.stop();
});

beforeEach(async () => {
  log = recordedLog();
  queueUrl = (await client.send(new CreateQueueCommand({ QueueName: `${randomUUID()}.fifo`, Attributes: { FifoQueue: 'true' } }))).QueueUrl!;
  server.reset();
});

function queue(options: { slot?: number; deadline?: Deadline } = {}): CandidateQueue {
  return candidateQueue({ client, queueUrl, log, slot: options.slot ?? 970_123, deadline: options.deadline ?? Deadline.after(60_000) });
}

function candidate(id: number, changes: Partial<CandidateMessage> = {}): CandidateMessage {
  return {
    version: 1,
    kind: 'candidate',
    scope: 'd1e0'.repeat(8),
    runner: { id, name: `p_i-${id.toString(16).padStart(17, '0')}` },
    group: { key: '7', name: 'linux', pages: 1 },
    observedAt: '2026-01-02T03:04:05.000Z',
    evidence: 'absent',
    mode: 'armed',
    ...changes,
  };
}

const candidates = (count: number, first = 1) => Array.from({ length: count }, (_, index) => candidate(first + index));

async function receive(): Promise<Message[]> {
  const batch = await client.send(new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }));
  return batch.Messages ?? [];
}

/** Takes everything from the queue. */
async function received(): Promise<Message[]> {
  const messages: Message[] = [];
  for (let batch = await receive(); batch.length > 0; batch = await receive()) {
    for (const { ReceiptHandle } of batch) await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
    messages.push(...batch);
  }
  return messages;
}

const bodies = (messages: readonly Message[]) => messages.map((message) => JSON.parse(message.Body!) as CandidateMessage);
const ids = (messages: readonly CandidateMessage[]) => messages.map((message) => message.runner.id).sort((a, b) => a - b);
const attribute = (messages: readonly Message[], name: 'MessageGroupId' | 'MessageDeduplicationId') => messages.map((message) => message.Attributes![name]!);

describe('sending', () => {
  test('every candidate arrives as it was, in batches of ten', async () => {
    const sent = candidates(23);

    expect(await queue().send(sent)).toEqual([]);

    expect(server.requests.map(({ body }) => (body.Entries as unknown[]).length)).toEqual([10, 10, 3]);
    expect(bodies(await received()).sort((a, b) => a.runner.id - b.runner.id)).toEqual(sent);
  });

  test('nothing to send costs no request', async () => {
    expect(await queue().send([])).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  test('each registration has a message group of its own', async () => {
    await queue().send(candidates(12));

    expect(new Set(attribute(await received(), 'MessageGroupId')).size).toBe(12);
  });

  test('a registration is queued once in each interval', async () => {
    await queue({ slot: 1 }).send([candidate(1)]);
    await queue({ slot: 1 }).send([candidate(1)]);
    expect(bodies(await received())).toHaveLength(1);

    await queue({ slot: 2 }).send([candidate(1)]);
    expect(bodies(await received())).toHaveLength(1);
  });

  test('what a dry run queued does not swallow what an armed run queues in the same interval', async () => {
    await queue().send([candidate(1, { mode: 'dryRun' })]);
    await queue().send([candidate(1, { mode: 'armed' })]);

    expect(bodies(await received()).map(({ mode }) => mode)).toEqual(['dryRun', 'armed']);
  });

  test('the same id in another scope or another repository is another registration', async () => {
    await queue().send([
      candidate(1),
      candidate(1, { scope: 'another' }),
      candidate(1, { group: { key: 'acme/web', name: 'acme/web', pages: 1 } }),
    ]);

    const messages = await received();
    expect(messages).toHaveLength(3);
    expect(new Set(attribute(messages, 'MessageGroupId')).size).toBe(3);
  });

  test('ids stay within the 128 characters of SQS, however long the names are', async () => {
    const long = candidate(Number.MAX_SAFE_INTEGER, { scope: 's'.repeat(500), group: { key: `acme/${'r'.repeat(100)}`, name: 'g', pages: 1 }, mode: 'dryRun' });

    expect(await queue({ slot: Number.MAX_SAFE_INTEGER }).send([long])).toEqual([]);
    const [message] = await received() as [Message];
    expect(message.Attributes!.MessageDeduplicationId!.length).toBeLessThanOrEqual(128);
    expect(message.Attributes!.MessageGroupId!.length).toBeLessThanOrEqual(128);
  });
});

describe('nominating', () => {
  test('a name is sent as those are told to send it who nominate from elsewhere: one message for each, whoever was first', async () => {
    expect(await queue().nominate(['p_i-1', 'p_i-2'])).toEqual([]);

    const messages = await received();
    expect(messages.map(({ Body }) => JSON.parse(Body!))).toEqual(['p_i-1', 'p_i-2'].map((runnerName) => ({ version: 1, kind: 'nomination', runnerName })));
    expect(attribute(messages, 'MessageGroupId')).toEqual(['p_i-1', 'p_i-2']);
    expect(attribute(messages, 'MessageDeduplicationId')).toEqual(['nomination#p_i-1', 'nomination#p_i-2']);
  });

  test('a name that is nominated again within minutes is one message', async () => {
    await queue().nominate(['p_i-1']);
    await queue().nominate(['p_i-1']);

    expect(await received()).toHaveLength(1);
  });
});

const json = (response: Parameters<SqsFault>[0], status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(typeof body === 'string' ? body : JSON.stringify(body));

const FAULTS: readonly (readonly [string, SqsFault])[] = [
  ['missing permission', (response) => json(response, 403, { __type: 'com.amazonaws.sqs#AccessDeniedException', message: 'no' })],
  ['a throttle', (response) => json(response, 400, { __type: 'com.amazonaws.sqs#RequestThrottled', message: 'slow down' })],
  ['an internal error', (response) => json(response, 500, { __type: 'InternalFailure' })],
  ['an empty 200', (response) => json(response, 200, '')],
  ['an HTML 200', (response) => json(response, 200, '<html></html>')],
  ['a 200 of another shape', (response) => json(response, 200, { Messages: [] })],
  ['a cut body', (response) => json(response, 200, '{"Successful":[{"Id":"0"')],
  ['a closed connection', (response) => response.destroy()],
];

describe('trouble while sending', () => {
  test.each(FAULTS)('%s returns the candidates of that batch, and the others are sent', async (_, fault) => {
    const sent = candidates(30);
    server.failNext(fault);

    const unsent = await queue().send(sent);

    expect(ids(unsent)).toEqual(ids(candidates(10)));
    expect(ids(bodies(await received()))).toEqual(ids(candidates(20, 11)));
    expect(log.lines.map(({ level, fields }) => [level, fields.candidates])).toEqual([['warn', unsent.map(({ runner }) => runner)]]);
  });

  test('single candidates that SQS refuses are returned with the reason in the log, their neighbours are sent', async () => {
    server.failNext((response, body) => {
      const [first, ...rest] = (JSON.parse(body) as { Entries: { Id: string; MessageBody: string }[] }).Entries;
      json(response, 200, {
        Successful: rest.map(({ Id, MessageBody }) => ({ Id, MessageId: Id, MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex') })),
        Failed: [{ Id: first!.Id, Code: 'InternalError', Message: 'try again', SenderFault: false }],
      });
    });

    expect(ids(await queue().send(candidates(3)))).toEqual([1]);
    expect(log.lines).toEqual([{ level: 'warn', message: 'candidates were refused by the queue', fields: { candidates: [candidate(1).runner], reasons: ['InternalError: try again'] } }]);
  });

  test('an answer that never comes returns its batch in time, and the others are sent', async () => {
    const deadline = Deadline.after(60_000);
    deadline.signal = () => AbortSignal.timeout(300);
    server.failNext(() => undefined);

    expect(ids(await queue({ deadline }).send(candidates(12)))).toEqual(ids(candidates(10)));
    expect(ids(bodies(await received()))).toEqual([11, 12]);
  });

  test('without time left nothing is sent and all are returned', async () => {
    const unsent = await queue({ deadline: Deadline.after(9_000) }).send(candidates(3));

    expect(ids(unsent)).toEqual([1, 2, 3]);
    expect(server.requests).toEqual([]);
  });
});

describe('postponing', () => {
  test.each([
    [300.2, 301],
    [-5, 0],
    [1_000_000, 43_200],
  ])('%d seconds hide the message for %d', async (asked, hidden) => {
    await queue().send([candidate(1)]);
    const [message] = await receive() as [Message];

    await queue().postpone(message.ReceiptHandle!, asked);

    expect(server.requests[server.requests.length - 1]).toEqual({
      action: 'ChangeMessageVisibility',
      body: { QueueUrl: queueUrl, ReceiptHandle: message.ReceiptHandle, VisibilityTimeout: hidden },
    });
    expect(await receive()).toHaveLength(hidden === 0 ? 1 : 0);
  });

  test.each(FAULTS.filter(([name]) => !name.includes('200') && !name.includes('cut')))('%s is a transient error', async (_, fault) => {
    server.failNext(fault);

    await expect(queue().postpone('handle', 10)).rejects.toThrow(TransientError);
  });

  test('without time left nothing is asked, and the error says what there was no time for', async () => {
    await expect(queue({ deadline: Deadline.after(9_000) }).postpone('handle', 10)).rejects.toThrow(new DeadlineError('no time left for postponing a message'));
    expect(server.requests).toEqual([]);
  });
});
