import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { Bounds } from './bounds';
import type { Fleet } from './fleet';
import { runFunction } from './function-run';
import { SENDER } from './janitor-environment';
import { withJanitor } from './janitor-stage';
import type { CandidateMessage } from '../../src/contract/candidate-message';
import { CONFIRMATION, DISCOVERY, PAGE_SIZE } from '../../src/contract/limits';

const PAGES = /\/runners\?/;
const GROUPS = /\/runner-groups$/;
const ONE_RUNNER = /\/runners\/\d+$/;

/** Both looks at a fleet of this size, by the bundled handlers. */
export async function benchJanitor(bounds: Bounds, registrations: number): Promise<void> {
  bounds.section(`Two looks at ${registrations.toLocaleString('en-US')} registrations`);
  await withJanitor(registrations, async ({ fleet, clock, environment, sqs, queueUrl }) => {
    const started = Date.now();
    const { peakBytes } = await runFunction('discovery.lambda', {}, environment, clock, DISCOVERY.timeoutSeconds * 1000);
    bounds.note('first look', (Date.now() - started) / 1000, ' s');
    bounds.atMost('peak memory of the first look', peakBytes / 2 ** 20, DISCOVERY.memoryMiB * 0.75, ' MiB');
    boundsOfFirstLook(bounds, fleet);

    await clock.advance(20 * 60);
    const batches = await receiveAll(sqs, queueUrl);
    bounds.exactly('candidates on the queue', batches.flat().length, fleet.ghosts.size);
    fleet.github.requests.length = 0;
    for (const batch of batches) await runFunction('confirmation.lambda', eventOf(batch), environment, clock, CONFIRMATION.timeoutSeconds * 1000);
    boundsOfSecondLook(bounds, fleet, batches);
  });
}

function boundsOfFirstLook(bounds: Bounds, { github, ec2, groups, regions }: Fleet): void {
  const pages = groups.reduce((sum, { size }) => sum + Math.ceil(size / PAGE_SIZE), 0);
  bounds.exactly('requests for the list of groups', github.count({ path: GROUPS }), 1);
  bounds.exactly(`requests for pages, ${groups.length} groups`, github.count({ method: 'GET', path: PAGES }), pages);
  bounds.atMost('GitHub requests besides (authentication)', github.requests.length - pages - 1, 2);
  bounds.atMost(`EC2 requests, ${regions.length} regions`, ec2.requests.length, pages * regions.length);
}

function boundsOfSecondLook(bounds: Bounds, { github, ghosts }: Fleet, batches: readonly (readonly Message[])[]): void {
  const samples = batches.reduce((sum, batch) => sum + new Set(batch.map(({ Body }) => (JSON.parse(Body!) as CandidateMessage).group.key)).size, 0);
  const wrong = github.deletions.filter((id) => !ghosts.has(id));
  bounds.exactly('ghosts deleted', github.deletions.length - wrong.length, ghosts.size);
  bounds.exactly('others deleted', wrong.length, 0);
  bounds.exactly('GET and DELETE requests for single registrations', github.count({ path: ONE_RUNNER }), 2 * github.deletions.length);
  bounds.exactly(`sample pages, one for each batch and group, ${batches.length} batches`, github.count({ method: 'GET', path: PAGES }), samples);
  bounds.atMost(
    'GitHub requests besides (authentication of a fresh process for each batch)',
    github.requests.length - github.count({ path: ONE_RUNNER }) - github.count({ method: 'GET', path: PAGES }), 2 * batches.length,
  );
}

async function receiveAll(client: SQSClient, queueUrl: string): Promise<Message[][]> {
  const batches: Message[][] = [];
  for (;;) {
    const { Messages } = await client.send(new ReceiveMessageCommand({
      QueueUrl: queueUrl, MaxNumberOfMessages: CONFIRMATION.batchSize, MessageSystemAttributeNames: ['All'],
    }));
    if (!Messages?.length) return batches;
    for (const { ReceiptHandle } of Messages) await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
    batches.push(Messages);
  }
}

function eventOf(messages: readonly Message[]): { Records: readonly object[] } {
  return {
    Records: messages.map(({ MessageId, ReceiptHandle, Body, Attributes, MD5OfBody }) => ({
      messageId: MessageId,
      receiptHandle: ReceiptHandle,
      body: Body,
      attributes: { ...Attributes, SenderId: `${SENDER}:discovery` },
      messageAttributes: {},
      md5OfBody: MD5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:confirmation.fifo',
      awsRegion: 'eu-west-1',
    })),
  };
}
