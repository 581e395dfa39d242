import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Fleet } from './fleet';
import { startFleet, stopFleet } from './fleet';
import { janitorEnvironment, serveSecret } from './janitor-environment';
import { SqsServer } from '../lambda-src/aws/sqs-server';
import { VirtualClock } from '../support/cloud/virtual-clock';

export interface JanitorStage {
  readonly fleet: Fleet;
  readonly clock: VirtualClock;
  /** of both functions */
  readonly environment: Readonly<Record<string, string>>;
  readonly sqs: SQSClient;
  readonly queueUrl: string;
}

/** Everything that a janitor needs to run on a fleet of this size, for as long as `run` takes. */
export async function withJanitor(registrations: number, run: (stage: JanitorStage) => Promise<void>): Promise<void> {
  const clock = new VirtualClock();
  const [fleet, server] = await Promise.all([startFleet(registrations, clock.now), SqsServer.start()]);
  const secret = await serveSecret(fleet.app);
  const sqs = new SQSClient({ region: 'eu-west-1', endpoint: server.url, credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' } });
  try {
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'confirmation.fifo', Attributes: { FifoQueue: 'true' } }));
    const environment = janitorEnvironment(fleet, { queue: QueueUrl!, sqs: server.url, secrets: secret.url });
    await run({ fleet, clock, environment, sqs, queueUrl: QueueUrl! });
  } finally {
    secret.stop();
    await Promise.all([stopFleet(fleet), server.stop()]);
  }
}
