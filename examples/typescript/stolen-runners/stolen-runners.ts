import type { StackProps } from 'aws-cdk-lib';
import { Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
// in an app of your own: from 'cdk-github-runner-janitor'
import { GitHubCredentials, RunnerReplacement, StolenRunnerDetector } from '../../../src';

export interface StolenRunnersProps extends StackProps {
  /** Judge and report only, start nothing. */
  readonly observeOnly?: boolean;
}

/** Replaces stolen runners of a state machine that starts one runner for each job. It is deployed already, and is not changed. */
export class StolenRunners extends Stack {
  constructor(scope: Construct, id: string, props: StolenRunnersProps = {}) {
    super(scope, id, props);

    const detector = new StolenRunnerDetector(this, 'Detector', {
      // its executions are named like their runners, and have the `jobId` in their input
      replacement: RunnerReplacement.stateMachine(StateMachine.fromStateMachineName(this, 'StartRunner', 'start-runner')),
      // JSON: { "appId": 1234, "privateKey": "-----BEGIN ..." }
      credentials: GitHubCredentials.app(Secret.fromSecretNameV2(this, 'App', 'github-runners/app')),
      runnerLogGroups: [LogGroup.fromLogGroupName(this, 'RunnerLogs', '/github-runners')],
      observeOnly: props.observeOnly,
    });
    detector.recordExecutions();
    detector.createAlarms();
  }
}
