import { aws_iam as iam } from 'aws-cdk-lib';
import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import { checkGrantee } from './grantee';

/**
 * Lets the grantee do exactly this with the table's rows. Other accounts are let in by the table's own policy.
 *
 * @throws when no policy that can be changed would let the grantee in, and for services, which write tables only through roles
 */
export function grantTable(table: dynamodb.TableV2, grantee: iam.IGrantable, ...actions: string[]): iam.Grant {
  checkGrantee(table, grantee);
  const { grantPrincipal: principal } = grantee;
  if (principal instanceof iam.ServicePrincipal) {
    throw new Error(`cannot grant ${table.node.path} to the service ${principal.service}: no service writes a table as itself; grant to the role it takes on`);
  }
  return table.grants.actions(grantee, ...actions);
}
