import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { ComputeProvider, GitHubCredentials, RegistrationJanitor, RunnerGroup, RunnerScope, type TerminationNominationOptions } from '../../src';

/** What the demo's fleet and its janitor must agree on. */
export const DEMO = {
  organization: 'acme',
  groups: ['linux', 'gpu'],
  prefix: 'acme-runner-',
  regions: ['eu-west-1', 'us-east-1'],
} as const;

export interface DemoOptions {
  /** @default - the library's own */
  readonly dryRun?: boolean;
  /** @default - the ends of machines nominate nobody */
  readonly onTermination?: TerminationNominationOptions;
}

/** Synthesises the demo's app as `cdk synth` would and returns its cloud assembly. */
export function synthesiseDemo({ onTermination, ...options }: DemoOptions = {}): string {
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'janitor-demo-')), analyticsReporting: false });
  const stack = new Stack(app, 'Demo');
  const janitor = new RegistrationJanitor(stack, 'Janitor', {
    runnerScope: RunnerScope.organization(DEMO.organization, { runnerGroups: DEMO.groups.map((name) => RunnerGroup.named(name)) }),
    computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: [DEMO.prefix], regions: [...DEMO.regions] }),
    credentials: GitHubCredentials.app(new Secret(stack, 'GitHubApp')),
    ...options,
  });
  if (onTermination) janitor.nominateOnTermination(onTermination);
  return app.synth().directory;
}
