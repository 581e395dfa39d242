import { CodeBuildRunnerProvider, GitHubRunners } from '@cloudsnorkel/cdk-github-runners';
import type { StackProps } from 'aws-cdk-lib';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Runners as their users have them: nothing in here knows who watches over them. */
export class RunnerStack extends Stack {
  readonly runners: GitHubRunners;

  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, props);

    this.runners = new GitHubRunners(this, 'Runners', {
      providers: [new CodeBuildRunnerProvider(this, 'CodeBuild', { labels: ['codebuild'] })],
    });
  }
}
