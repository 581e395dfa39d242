import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context, EventBridgeEvent } from 'aws-lambda';
import { countDetections } from './aws/detector-telemetry';
import { handling } from './aws/handling';
import { JobLedger } from './aws/job-ledger';
import { telemetry } from './aws/telemetry';
import { Deadline } from './shared/deadline';
import { recorderConfig } from './stolen/detector-config';
import { recordExecution } from './stolen/record-execution';

const tell = telemetry();
const client = new DynamoDBClient({});

/** Records the jobs that runners are started for, where the runner stack does not do so itself. */
export const handler = handling(async (event: EventBridgeEvent<string, unknown>, context: Context): Promise<void> => {
  tell.begin(context);
  const deadline = Deadline.after(context.getRemainingTimeInMillis());
  const ledger = new JobLedger({ client, ...recorderConfig(process.env), deadline });
  await recordExecution(event, { ledger, log: tell.log, count: (counts) => countDetections(tell, counts) });
});
