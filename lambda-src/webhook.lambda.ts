import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { countDetections } from './aws/detector-telemetry';
import { handling } from './aws/handling';
import { reportQueue } from './aws/report-queue';
import { secretReader } from './aws/secret-reader';
import { telemetry } from './aws/telemetry';
import { webhookSecret } from './aws/webhook-secret';
import { Deadline } from './shared/deadline';
import { describeError } from './shared/errors';
import { queueUrl, webhookSecretArn } from './stolen/detector-config';
import type { WebhookRequest, WebhookResponse } from './stolen/webhook';
import { handleWebhook } from './stolen/webhook';
import { REQUEST_TIMEOUT_SECONDS } from '../src/contract/limits';

const tell = telemetry();
const client = new SQSClient({});
const reader = secretReader();
const secret = webhookSecret(() => reader.readSecret(webhookSecretArn(process.env), AbortSignal.timeout(REQUEST_TIMEOUT_SECONDS * 1000)));

/** Takes GitHub's word for what runs where. */
export const handler = handling(async (request: WebhookRequest, context: Context): Promise<WebhookResponse> => {
  tell.begin(context);
  const deadline = Deadline.after(context.getRemainingTimeInMillis());
  try {
    const queue = reportQueue({ client, queueUrl: queueUrl(process.env), deadline, log: tell.log });
    return await handleWebhook(request, { secret, queue, log: tell.log, count: (counts) => countDetections(tell, counts) });
  } catch (error) {
    tell.log.error('a webhook could not be handled', { error: describeError(error) });
    return { statusCode: 500, body: 'internal error' };
  }
});
