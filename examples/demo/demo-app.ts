import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { ComputeProvider, GitHubCredentials, RegistrationJanitor, RunnerGroup, RunnerScope } from '../../src';

/** What the demo's fleet and its janitor must agree on. */
export const DEMO = {
  organization: 'acme',
  groups: ['linux', 'gpu'],
  prefix: 'acme-runner-',
  regions: ['eu-west-1', 'us-east-1'],
} as const;

/** Synthesises the demo's app as `cdk synth` would and returns its cloud assembly. Without `dryRun` it has the library's default. */
export function synthesiseDemo(options: { readonly dryRun?: boolean } = {}): string {
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'janitor-demo-')), analyticsReporting: false });
  const stack = new Stack(app, 'Demo');
  new RegistrationJanitor(stack, 'Janitor', {
    runnerScope: RunnerScope.organization(DEMO.organization, { runnerGroups: DEMO.groups.map((name) => RunnerGroup.named(name)) }),
    computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: [DEMO.prefix], regions: [...DEMO.regions] }),
    credentials: GitHubCredentials.app(new Secret(stack, 'GitHubApp')),
    ...options,
  });
  return app.synth().directory;
}
