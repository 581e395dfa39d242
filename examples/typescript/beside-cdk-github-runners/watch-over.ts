import type { GitHubRunners } from '@cloudsnorkel/cdk-github-runners';
import { CfnOutput } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
// in an app of your own: from 'cdk-github-runner-janitor'
import { ComputeProvider, GitHubCredentials, RegistrationJanitor, RunnerReplacement, RunnerScope, StolenRunnerDetector } from '../../../src';

/** Puts both constructs beside runners that need no change for it; they log in as the App that the runners have already. */
export function watchOver(scope: Construct, runners: GitHubRunners): void {
  const { github, githubPrivateKey } = runners.secrets;
  const credentials = GitHubCredentials.cdkGithubRunners(github, githubPrivateKey);

  const detector = new StolenRunnerDetector(scope, 'Detector', {
    // private, but its id is as stable as the state machine itself; StateMachine.fromStateMachineArn does as well
    replacement: RunnerReplacement.stateMachine(runners.node.findChild('Runner Orchestrator') as IStateMachine),
    credentials,
    // only newer releases print the lines that are looked for, hence the webhook below
    runnerLogGroups: runners.providers.map(({ logGroup }) => logGroup),
  });
  detector.recordExecutions();
  // a second webhook, of the organization: the App's own goes to the runners
  const { url } = detector.addWebhook({ secret: new Secret(scope, 'WebhookSecret') });
  new CfnOutput(scope, 'WebhookUrl', { value: url });

  // for machines of your own that register with the same App under the name `gh-<instance id>`
  new RegistrationJanitor(scope, 'Janitor', {
    runnerScope: RunnerScope.organization('acme'),
    computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: ['gh-'], regions: ['us-east-1'] }),
    credentials,
  });
}
