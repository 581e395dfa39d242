import { Duration, RemovalPolicy, aws_dynamodb as dynamodb, aws_sqs as sqs } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { REPORT_QUEUE } from '../contract/detector-limits';
import { LEDGER_ATTRIBUTES } from '../contract/ledger-items';

/** Who was started for which job, and who picked up what. On demand, encrypted with a key that DynamoDB owns. */
export function ledgerTable(scope: Construct, removalPolicy = RemovalPolicy.DESTROY): dynamodb.TableV2 {
  return new dynamodb.TableV2(scope, 'Table', {
    partitionKey: { name: LEDGER_ATTRIBUTES.key, type: dynamodb.AttributeType.STRING },
    timeToLiveAttribute: LEDGER_ATTRIBUTES.ttl,
    removalPolicy,
  });
}

/** Without a dead-letter queue: a report that is an hour old is about a runner that nobody misses any more. */
export function reportQueue(scope: Construct, encryptionKey?: kms.IKey): sqs.Queue {
  return new sqs.Queue(scope, 'ReportQueue', {
    fifo: true,
    // the sender gives each report an id of its own: a forged line must not swallow the signed report
    contentBasedDeduplication: false,
    encryption: encryptionKey ? sqs.QueueEncryption.KMS : sqs.QueueEncryption.SQS_MANAGED,
    encryptionMasterKey: encryptionKey,
    enforceSSL: true,
    deliveryDelay: Duration.seconds(REPORT_QUEUE.delaySeconds),
    visibilityTimeout: Duration.seconds(REPORT_QUEUE.visibilitySeconds),
    retentionPeriod: Duration.seconds(REPORT_QUEUE.retentionSeconds),
  });
}
