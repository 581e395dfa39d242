import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type { RegistrationJanitorProps } from '../../src';
import { ComputeProvider, GitHubCredentials, RegistrationJanitor, RunnerScope } from '../../src';

type Json = Record<string, any>;

export const ACCOUNT = '111111111111';

/** A janitor with as little as it takes, in a stack of its own. */
export function janitorStack(props: Partial<RegistrationJanitorProps> = {}, app = new App()) {
  const stack = new Stack(app, 'Runners', { env: { account: ACCOUNT, region: 'us-east-1' } });
  return { app, ...janitorIn(stack, props) };
}

export function janitorIn(stack: Stack, props: Partial<RegistrationJanitorProps> = {}, id = 'Janitor') {
  const secret = (stack.node.tryFindChild('App') as secretsmanager.Secret | undefined) ?? new secretsmanager.Secret(stack, 'App');
  const janitor = new RegistrationJanitor(stack, id, {
    runnerScope: RunnerScope.organization('acme'),
    computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: ['gh-'], regions: ['us-east-1'] }),
    credentials: GitHubCredentials.app(secret),
    ...props,
  });
  return { stack, janitor, secret };
}

/** The template as it is deployed. */
export function templateOf(stack: Stack): Json {
  return Template.fromStack(stack).toJSON();
}

export function resourcesOf(template: Json, type: string): Record<string, Json> {
  return Object.fromEntries(Object.entries<Json>(template.Resources ?? {}).filter(([, resource]) => resource.Type === type));
}

/** The only resource of this type whose logical id contains the text. */
export function resourceOf(template: Json, type: string, idPart = ''): Json {
  const found = Object.entries(resourcesOf(template, type)).filter(([id]) => id.includes(idPart));
  if (found.length !== 1) throw new Error(`expected one ${type} with ${idPart}, got ${found.map(([id]) => id).join(', ') || 'none'}`);
  return found[0]![1];
}

export function environmentOf(template: Json, functionIdPart = 'Discovery'): Record<string, any> {
  return resourceOf(template, 'AWS::Lambda::Function', functionIdPart).Properties.Environment.Variables;
}

/** Every statement of the policies that are attached to the role, in the template's order. */
export function statementsOf(template: Json, roleIdPart: string): Json[] {
  return Object.values(resourcesOf(template, 'AWS::IAM::Policy'))
    .filter(({ Properties }) => Properties.Roles?.some((role: Json) => role.Ref?.includes(roleIdPart)))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
}

/** Assets are named by the hash of what was bundled, which no expectation should hang on. */
export function withoutAssetHashes<T>(template: T): T {
  return JSON.parse(JSON.stringify(template).replace(/[0-9a-f]{64}/g, '<asset hash>')) as T;
}
