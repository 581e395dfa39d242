import type { IResource } from 'aws-cdk-lib';
import { Stack, aws_iam as iam } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { checkRegion } from './place';

/** A secret or parameter that a function of ours reads when it runs; its ARN or name stands in a variable. */
export interface ReadableSource {
  /** what the user gave it as */
  readonly property: string;
  readonly resource: IResource;
  readonly variable: string;
  readonly value: string;
  readonly service: 'secretsmanager' | 'ssm';
  readonly action: string;
  readonly resources: (stack: Stack) => string[];
  readonly key?: kms.IKey;
}

export function secretSource(variable: string, secret: secretsmanager.ISecret, property = 'secret'): ReadableSource {
  return {
    property,
    resource: secret,
    variable,
    value: secret.secretArn,
    service: 'secretsmanager',
    action: 'secretsmanager:GetSecretValue',
    // a secret that was imported by its name lacks the six characters which Secrets Manager appends to it
    resources: () => [secret.secretFullArn ?? `${secret.secretArn}-??????`],
    key: secret.encryptionKey,
  };
}

/**
 * Narrower than `grantRead` of secrets and parameters, which also lets the role describe them.
 *
 * @throws when it is known to be in another region than the function
 */
export function grantReadSource({ property, resource, service, action, resources, key }: ReadableSource, role: iam.IRole): void {
  const stack = Stack.of(role);
  checkRegion(stack, property, service === 'ssm' ? 'a parameter' : 'a secret', resource);
  role.addToPrincipalPolicy(new iam.PolicyStatement({ actions: [action], resources: resources(stack) }));
  if (!key) return;
  // not by key.grantDecrypt with a ViaServicePrincipal: that changes the key's policy only, and so grants nothing on an imported key
  role.addToPrincipalPolicy(new iam.PolicyStatement({
    actions: ['kms:Decrypt'],
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `${service}.${stack.region}.amazonaws.com` } },
  }));
}
