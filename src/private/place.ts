import type { IResource } from 'aws-cdk-lib';
import { Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { invalid } from './validate';

/** @throws when it is known that the resource is in another account or region than the construct that has to work with it */
export function checkPlace(scope: Construct, property: string, what: string, { env, node }: IResource): void {
  const { account, region } = Stack.of(scope);
  const differs = (here: string, there: string) => !Token.isUnresolved(here) && !Token.isUnresolved(there) && here !== there;
  if (differs(account, env.account) || differs(region, env.region)) {
    throw invalid(property, `${what} of account ${account} and region ${region}, where ${scope.node.path} is`,
      `${node.path} of account ${env.account} and region ${env.region}`);
  }
}
