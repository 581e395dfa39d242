import { Duration, aws_sqs as sqs } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { CONFIRMATION_QUEUE } from '../contract/limits';

export interface ConfirmationQueues {
  readonly confirmationQueue: sqs.Queue;
  readonly deadLetterQueue: sqs.Queue;
}

/** The memory between the two looks. Their construct ids are a contract: another id is another, empty queue. */
export function confirmationQueues(scope: Construct, encryptionKey?: kms.IKey): ConfirmationQueues {
  const common: sqs.QueueProps = {
    fifo: true,
    // the sender gives each candidate an id of its own: a body that is the same may be another run's candidate
    contentBasedDeduplication: false,
    encryption: encryptionKey ? sqs.QueueEncryption.KMS : sqs.QueueEncryption.SQS_MANAGED,
    encryptionMasterKey: encryptionKey,
    enforceSSL: true,
  };
  const deadLetterQueue = new sqs.Queue(scope, 'DeadLetterQueue', {
    ...common,
    retentionPeriod: Duration.seconds(CONFIRMATION_QUEUE.deadLetterRetentionSeconds),
  });
  const confirmationQueue = new sqs.Queue(scope, 'ConfirmationQueue', {
    ...common,
    deliveryDelay: Duration.seconds(CONFIRMATION_QUEUE.delaySeconds),
    visibilityTimeout: Duration.seconds(CONFIRMATION_QUEUE.visibilitySeconds),
    retentionPeriod: Duration.seconds(CONFIRMATION_QUEUE.retentionSeconds),
    deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: CONFIRMATION_QUEUE.maxReceives },
  });
  return { confirmationQueue, deadLetterQueue };
}
