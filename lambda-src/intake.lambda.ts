import { SQSClient } from '@aws-sdk/client-sqs';
import type { CloudWatchLogsEvent, Context } from 'aws-lambda';
import { countDetections } from './aws/detector-telemetry';
import { handling } from './aws/handling';
import { reportQueue } from './aws/report-queue';
import { telemetry } from './aws/telemetry';
import { Deadline } from './shared/deadline';
import { queueUrl } from './stolen/detector-config';
import { takeIn } from './stolen/intake';

const tell = telemetry();
const client = new SQSClient({});

/** Reads what runners wrote into their logs. */
export const handler = handling(async (event: CloudWatchLogsEvent, context: Context): Promise<void> => {
  tell.begin(context);
  const deadline = Deadline.after(context.getRemainingTimeInMillis());
  const queue = reportQueue({ client, queueUrl: queueUrl(process.env), deadline, log: tell.log });
  await takeIn(event, { queue, log: tell.log, count: (counts) => countDetections(tell, counts) });
});
