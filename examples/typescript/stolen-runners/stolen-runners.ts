import type { StackProps } from 'aws-cdk-lib';
import { Stack } from 'aws-cdk-lib';
import { Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { DefinitionBody, Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
// in an app of your own: from 'cdk-github-runner-janitor'
import { GitHubCredentials, RunnerReplacement, StolenRunnerDetector } from '../../../src';

export interface StolenRunnersProps extends StackProps {
  /** Report only, start nothing. */
  readonly observeOnly?: boolean;
}

/** Home-made runners: a webhook function starts an execution for each queued job, and the execution starts the runner of the same name. */
export class StolenRunners extends Stack {
  constructor(scope: Construct, id: string, props: StolenRunnersProps = {}) {
    super(scope, id, props);

    // this is where your state machine starts a machine, with the name of the execution as the name of its runner
    const orchestrator = new StateMachine(this, 'Orchestrator', { definitionBody: DefinitionBody.fromChainable(new Pass(this, 'StartRunner')) });
    const webhook = new Function(this, 'Webhook', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = async () => {};'), // yours; examples/recipes shows the two calls it needs
    });
    orchestrator.grantStartExecution(webhook);

    const detector = new StolenRunnerDetector(this, 'Detector', {
      replacement: RunnerReplacement.stateMachine(orchestrator),
      // JSON: { "appId": 1234, "privateKey": "-----BEGIN ..." }
      credentials: GitHubCredentials.app(Secret.fromSecretNameV2(this, 'App', 'github-runners/app')),
      runnerLogGroups: [new LogGroup(this, 'RunnerLogs')],
      observeOnly: props.observeOnly,
    });
    detector.attachRecorder(webhook);
    detector.attachReporter(webhook);
    detector.createAlarms();
  }
}
