// For the function that GitHub's `workflow_job` webhooks reach, after it has checked the signature. `detector.attachRecorder(fn)` and
// `detector.attachReporter(fn)` give it the permissions and the variables.
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const dynamodb = new DynamoDBClient({});
const sqs = new SQSClient({});

/** On `queued`: before the runner is started, which may be faster than the next line. Twice is once. */
export async function recordRunner({ jobId, runnerName, labels = [] }) {
  const { RUNNER_TRACKER_TABLE: table, RUNNER_TRACKER_TTL_SECONDS: ttlSeconds } = process.env;
  const hasLabels = labels.length > 0; // DynamoDB has no empty sets, and none with a member twice
  await dynamodb.send(new UpdateItemCommand({
    TableName: table,
    Key: { pk: { S: `job#${jobId}` } },
    UpdateExpression: `ADD runners :name${hasLabels ? ', labels :labels' : ''} SET #ttl = :ttl`,
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ':name': { SS: [runnerName] },
      ...(hasLabels && { ':labels': { SS: [...new Set(labels)] } }),
      ':ttl': { N: String(Math.floor(Date.now() / 1000) + Number(ttlSeconds)) },
    },
  }));
}

/** On every webhook: tells the detector which runner picked the job up. */
export async function reportAssignment({ action, workflow_job: job, repository }) {
  // the name may be missing, and those of GitHub's own runners have blanks
  if (action !== 'in_progress' || !/^[A-Za-z0-9._-]{1,64}$/.test(job.runner_name ?? '')) return;
  await sqs.send(new SendMessageCommand({
    QueueUrl: process.env.JOB_ASSIGNMENT_QUEUE_URL,
    MessageGroupId: job.runner_name,
    MessageDeduplicationId: `${job.runner_name}#signed`,
    MessageBody: JSON.stringify({
      version: 1,
      source: 'signed',
      runnerName: job.runner_name,
      repository: repository.full_name,
      jobId: job.id,
      runId: job.run_id,
      startedAt: job.started_at,
      labels: job.labels,
    }),
  }));
}
