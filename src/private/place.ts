import type { IResource } from 'aws-cdk-lib';
import { Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { invalid } from './validate';

/**
 * Another account may have let us in, but the functions ask only in their own region.
 *
 * @throws when it is known that the resource is in another region than the construct that has to work with it
 */
export function checkRegion(scope: Construct, property: string, what: string, { env, node }: IResource): void {
  const { region } = Stack.of(scope);
  if (differs(region, env.region)) throw invalid(property, `${what} of region ${region}, where ${scope.node.path} is`, `${node.path} of region ${env.region}`);
}

/** @throws when it is known that the resource is in another account or region than the construct that has to work with it */
export function checkPlace(scope: Construct, property: string, what: string, { env, node }: IResource): void {
  const { account, region } = Stack.of(scope);
  if (differs(account, env.account) || differs(region, env.region)) {
    throw invalid(property, `${what} of account ${account} and region ${region}, where ${scope.node.path} is`,
      `${node.path} of account ${env.account} and region ${env.region}`);
  }
}

/** What only the deployment knows differs from nothing. */
function differs(here: string, there: string): boolean {
  return !Token.isUnresolved(here) && !Token.isUnresolved(there) && here !== there;
}
