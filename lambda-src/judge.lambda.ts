import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { countDetections } from './aws/detector-telemetry';
import { handling } from './aws/handling';
import { JobLedger } from './aws/job-ledger';
import { reportQueue } from './aws/report-queue';
import { RunnerLauncher } from './aws/runner-launcher';
import { secretReader } from './aws/secret-reader';
import { telemetry } from './aws/telemetry';
import { resolveCredentials } from './github/credentials';
import { GitHubJobs } from './github/jobs';
import { Deadline } from './shared/deadline';
import { describeError, TransientError } from './shared/errors';
import { judgeConfig } from './stolen/detector-config';
import type { ReportBatch, ReportRecord } from './stolen/report-batch';
import { openReports } from './stolen/report-batch';
import { JUDGE_TIME_AFTER_GITHUB_SECONDS } from '../src/contract/detector-limits';

const tell = telemetry();
/** Not the one for FIFO queues: behind a report that keeps coming back, whatever else is said of its runner would never be judged. */
const processor = new BatchProcessor(EventType.SQS);
let wiring: ReturnType<typeof wire> | undefined;

/** Judges a batch of the report queue. Never throws: what cannot be judged goes back to the queue. */
export const handler = handling(async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
  tell.begin(context);
  const batch = await open(event, context);
  const settle = async ({ messageId }: SQSRecord) => {
    // the processor reports a record as failed when its handler throws
    if (!await batch?.settle(messageId)) throw new TransientError('not settled');
  };
  // in their order, so that copies are told from first reports; and a batch of waiting reports is no failed invocation
  const response = await processPartialResponse(event, settle, processor, { context, processInParallel: false, throwOnFullBatchFailure: false });
  if (batch) countDetections(tell, batch.counts);
  return response;
});

async function open(event: SQSEvent, context: Context): Promise<ReportBatch | undefined> {
  try {
    wiring ??= wire();
    const { ports, jobs } = wiring(context);
    const batch = await openReports(event.Records.map(recordOf), ports);
    countDetections(tell, { credentialTrouble: jobs.trouble.length });
    return batch;
  } catch (error) {
    tell.log.error('the batch could not be opened; all its reports go back to the queue', { error: describeError(error) });
    countDetections(tell, { returned: event.Records.length });
    return undefined;
  }
}

function wire() {
  const config = judgeConfig(process.env);
  const dynamodb = new DynamoDBClient({});
  const stepFunctions = new SFNClient({});
  const sqs = new SQSClient({});
  const credentials = resolveCredentials(config.credentials, process.env);
  const github = new GitHubJobs({ githubUrl: config.githubUrl, credentials, reader: secretReader(), log: tell.log });
  return (context: Context) => {
    const deadline = Deadline.after(context.getRemainingTimeInMillis());
    const jobs = github.session(Deadline.after(context.getRemainingTimeInMillis() - JUDGE_TIME_AFTER_GITHUB_SECONDS * 1000));
    const ports = {
      executions: new RunnerLauncher({ client: stepFunctions, stateMachineArn: config.stateMachineArn, deadline }),
      ledger: new JobLedger({ client: dynamodb, table: config.table, ttlSeconds: config.ttlSeconds, deadline }),
      queue: reportQueue({ client: sqs, queueUrl: config.queueUrl, deadline, log: tell.log }),
      jobs,
      log: tell.log,
      now: Date.now,
      recordsLate: config.recordsExecutions,
      maxReplacements: config.maxReplacements,
      maxReplacementsPerHour: config.maxReplacementsPerHour,
      observeOnly: config.observeOnly,
    };
    return { ports, jobs };
  };
}

function recordOf({ messageId, receiptHandle, body, attributes }: SQSRecord): ReportRecord {
  const { SentTimestamp: sentAt, ApproximateFirstReceiveTimestamp: firstReceivedAt } = attributes;
  return { messageId, receiptHandle, body, sentAt: Number(sentAt), firstReceivedAt: Number(firstReceivedAt) };
}
