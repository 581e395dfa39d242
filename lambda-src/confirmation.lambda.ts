import { processPartialResponse, SqsFifoPartialProcessorAsync } from '@aws-lambda-powertools/batch';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { handling } from './aws/handling';
import { telemetry } from './aws/telemetry';
import type { GitHubSession } from './github/runners';
import { isFromFirstLook } from './janitor/candidate';
import type { ConfirmationBatch, Received } from './janitor/confirm';
import { openBatch } from './janitor/confirm';
import type { Janitor } from './janitor-wiring';
import { credentialMetrics, janitorWiring } from './janitor-wiring';
import { janitorConfig } from './shared/config';
import { describeError, TransientError } from './shared/errors';
import { OUTCOME_METRICS } from '../src/contract/janitor-metrics';

const tell = telemetry();
const processor = new SqsFifoPartialProcessorAsync();
let janitor: Janitor | undefined;

/** The second look, on one batch of the confirmation queue. Never throws: what cannot be judged goes back to the queue. */
export const handler = handling(async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
  tell.begin(context);
  const opened = await open(event, context);
  const settle = async ({ messageId }: SQSRecord) => {
    // the processor reports a record as failed when its handler throws
    if (!await opened?.batch.settle(messageId)) throw new TransientError('not settled');
  };
  // one group that waits must not make the others wait, nor a batch of waiting messages fail the invocation
  const response = await processPartialResponse(event, settle, processor, { context, skipGroupOnError: true, throwOnFullBatchFailure: false });
  tell.count(opened
    ? { ...opened.batch.report.metrics(), ...credentialMetrics(opened.github) }
    : { [OUTCOME_METRICS.unknown]: event.Records.length });
  if (opened?.batch.report.allRefused) {
    tell.log.error('every DELETE of this batch was refused: the credential lacks the permission to delete runners');
  }
  return response;
});

interface Opened {
  readonly batch: ConfirmationBatch;
  readonly github: GitHubSession;
}

async function open(event: SQSEvent, context: Context): Promise<Opened | undefined> {
  try {
    janitor ??= janitorWiring(janitorConfig(process.env), tell);
    const { candidateSender } = janitor.config;
    const { ports, policy, github } = await janitor.secondLook(context);
    return { batch: await openBatch(ports, policy, event.Records.map((record) => received(record, candidateSender))), github };
  } catch (error) {
    tell.log.error('the batch could not be opened; all its messages go back to the queue', { error: describeError(error) });
    return undefined;
  }
}

function received({ messageId, receiptHandle, body, attributes }: SQSRecord, candidateSender: string | undefined): Received {
  const { SentTimestamp, SenderId } = attributes;
  return { messageId, receiptHandle, body, sentAt: Number(SentTimestamp || NaN), fromFirstLook: isFromFirstLook(SenderId, candidateSender) };
}
