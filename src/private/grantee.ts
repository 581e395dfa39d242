import { aws_iam as iam } from 'aws-cdk-lib';
import { Construct } from 'constructs';

/**
 * @throws when the grantee has no policy that could be changed; CDK itself warns at most, and the template then grants nothing
 */
export function checkGrantee(resource: Construct, grantee: iam.IGrantable): void {
  if (grantee.grantPrincipal instanceof iam.UnknownPrincipal) {
    throw new Error(`cannot grant ${resource.node.path} to ${nameOf(grantee)}: it was imported without its role; `
      + 'import it together with its role (Function.fromFunctionAttributes) or grant to the role');
  }
}

export function nameOf(grantee: iam.IGrantable): string {
  return Construct.isConstruct(grantee) ? grantee.node.path : 'this grantee';
}
