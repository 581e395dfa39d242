// For a function that sees machines end. `janitor.attachNominator(fn)` gives it the permission and the variable.
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const sqs = new SQSClient({});

/** The registration goes in about 15 minutes, if the janitor then sees the machine terminated itself. */
export async function nominate({ runnerName }) {
  await sqs.send(new SendMessageCommand({
    QueueUrl: process.env.RUNNER_NOMINATION_QUEUE_URL,
    MessageGroupId: runnerName,
    MessageDeduplicationId: `nomination#${runnerName}`,
    MessageBody: JSON.stringify({ version: 1, kind: 'nomination', runnerName }),
  }));
}
