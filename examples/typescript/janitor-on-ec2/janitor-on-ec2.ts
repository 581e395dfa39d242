import type { StackProps } from 'aws-cdk-lib';
import { Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
// in an app of your own: from 'cdk-github-runner-janitor'
import { ComputeProvider, GitHubCredentials, RegistrationJanitor, RunnerScope } from '../../../src';

export interface JanitorOnEc2Props extends StackProps {
  /** Report only, delete nothing. */
  readonly dryRun?: boolean;
}

/** Cleans up after runners named `gh-<instance id>` that ran on EC2 in two regions. */
export class JanitorOnEc2 extends Stack {
  constructor(scope: Construct, id: string, props: JanitorOnEc2Props = {}) {
    super(scope, id, props);

    new RegistrationJanitor(this, 'Janitor', {
      runnerScope: RunnerScope.organization('acme'),
      computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: ['gh-'], regions: ['eu-central-1', 'us-east-1'] }),
      // JSON: { "appId": 1234, "privateKey": "-----BEGIN ..." }
      credentials: GitHubCredentials.app(Secret.fromSecretNameV2(this, 'App', 'github-runners/app')),
      dryRun: props.dryRun,
    });
  }
}
