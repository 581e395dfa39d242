import { aws_kms as kms } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { checkGrantee, nameOf } from './grantee';

/**
 * Lets the grantee send messages, and do nothing else. Principals whose policy cannot be changed from here (other accounts,
 * services) are let in by the queue's own policy.
 *
 * @throws when no policy that can be changed would let the grantee in; CDK itself warns at most, and the template then grants nothing
 */
export function grantSend(queue: sqs.Queue, grantee: iam.IGrantable): iam.Grant {
  checkGrantee(queue, grantee);
  const grant = queue.grant(grantee, 'sqs:SendMessage');
  const key = queue.encryptionMasterKey;
  if (!key) return grant;
  const keyGrant = key.grant(grantee, 'kms:Decrypt', 'kms:GenerateDataKey');
  if (keyGrant.resourceStatement && !(key instanceof kms.Key)) {
    throw new Error(`cannot grant ${queue.node.path} to ${nameOf(grantee)}: only the policy of the imported key ${key.keyArn} could let it in; `
      + 'use a key made in this app, or grant to a role of this account');
  }
  return grant.combine(keyGrant);
}

/** What Lambda's poller does on behalf of a function, less the GetQueueUrl that CDK's own grant adds. */
export function grantPoll(queue: sqs.Queue, role: iam.IGrantable): void {
  queue.grant(role, 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage');
  queue.encryptionMasterKey?.grant(role, 'kms:Decrypt');
}
