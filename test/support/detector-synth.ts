import { App, Stack } from 'aws-cdk-lib';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import { ACCOUNT, statementsOf } from './synth';
import type { StolenRunnerDetectorProps } from '../../src';
import { GitHubCredentials, RunnerReplacement, StolenRunnerDetector } from '../../src';

// aws-cdk-lib warns of its own use of deprecated properties in every TableV2
process.env.JSII_DEPRECATED = 'quiet';

export const ENV = { account: ACCOUNT, region: 'us-east-1' };

/** A home-made runner stack, and a detector in it with as little as it takes. */
export function detectorStack(props: Partial<StolenRunnerDetectorProps> = {}, app = new App()) {
  const stack = new Stack(app, 'Runners', { env: ENV });
  return { app, stack, ...detectorIn(stack, props) };
}

export function detectorIn(stack: Stack, props: Partial<StolenRunnerDetectorProps> = {}, id = 'Detector') {
  const { machine, runnerLogs, secret } = runnersIn(stack);
  const detector = new StolenRunnerDetector(stack, id, {
    replacement: RunnerReplacement.stateMachine(machine),
    credentials: GitHubCredentials.app(secret),
    runnerLogGroups: [runnerLogs],
    ...props,
  });
  return { detector, machine, runnerLogs, secret };
}

/** What the runner stack has of its own. */
export function runnersIn(stack: Stack) {
  return {
    machine: once(stack, 'Machine', () => machineIn(stack)),
    runnerLogs: once(stack, 'RunnerLogs', () => new logs.LogGroup(stack, 'RunnerLogs')),
    secret: once(stack, 'App', () => new secretsmanager.Secret(stack, 'App')),
  };
}

/** Newer CDK versions look into it. */
const DEFINITION = JSON.stringify({ StartAt: 'StartRunner', States: { StartRunner: { Type: 'Succeed' } } });

export function machineIn(stack: Stack, id = 'Machine', props: Partial<sfn.StateMachineProps> = {}): sfn.StateMachine {
  return new sfn.StateMachine(stack, id, { definitionBody: sfn.DefinitionBody.fromString(DEFINITION), ...props });
}

function once<T>(stack: Stack, id: string, make: () => T): T {
  return (stack.node.tryFindChild(id) as T | undefined) ?? make();
}

/** The statements of a role, in the template's order. */
export function permissionsOf(template: Record<string, any>, roleIdPart: string): Record<string, any>[] {
  return withLoneResources(statementsOf(template, roleIdPart));
}

/** Whether a statement's only resource is written as a list depends on CDK's version. */
export function withLoneResources<T>(template: T): T {
  const unwrap = (key: string, value: unknown) => (key === 'Resource' && Array.isArray(value) && value.length === 1 ? value[0] : value);
  return JSON.parse(JSON.stringify(template), unwrap) as T;
}
