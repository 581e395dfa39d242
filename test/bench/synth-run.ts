import { App, Stack, aws_logs as logs, aws_secretsmanager as secretsmanager, aws_stepfunctions as stepfunctions } from 'aws-cdk-lib';
import { plainResources } from './plain-app';
import { ComputeProvider, GitHubCredentials, RegistrationJanitor, RunnerReplacement, RunnerScope, StolenRunnerDetector } from '../../src';

/** Run in a process of its own: synthesises one of the two apps and prints what that cost and which resources came out. */
const [kind, assets, outdir] = process.argv.slice(2) as ['constructs' | 'plain', string, string];

const start = process.cpuUsage();
const app = new App({ outdir });
const stack = new Stack(app, 'Runners', { env: { account: '111111111111', region: 'eu-west-1' } });
if (kind === 'plain') plainResources(stack, assets);
else ourConstructs(stack);
const { template } = app.synth().getStackArtifact('Runners');
const { user, system } = process.cpuUsage(start);

const types = Object.values(template.Resources as Record<string, { Type: string }>).map(({ Type }) => Type).sort();
console.log(JSON.stringify({ milliseconds: (user + system) / 1000, types }));

function ourConstructs(scope: Stack): void {
  const credentials = GitHubCredentials.app(secretsmanager.Secret.fromSecretNameV2(scope, 'App', 'github-app'));
  new RegistrationJanitor(scope, 'Janitor', {
    runnerScope: RunnerScope.organization('acme'),
    computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: ['gh-'], regions: ['eu-west-1'] }),
    credentials,
  });
  new StolenRunnerDetector(scope, 'Detector', {
    replacement: RunnerReplacement.stateMachine(stepfunctions.StateMachine.fromStateMachineName(scope, 'Orchestrator', 'orchestrator')),
    credentials,
    runnerLogGroups: [logs.LogGroup.fromLogGroupName(scope, 'RunnerLogs', '/runners')],
  });
}
