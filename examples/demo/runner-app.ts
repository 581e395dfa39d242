import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { DefinitionBody, Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { GitHubCredentials, RunnerReplacement, StolenRunnerDetector } from '../../src';

/** What the demo's runner stack and its jobs must agree on. */
export const SHOP = {
  organization: 'acme',
  /** runners are started for its jobs */
  repository: 'acme/shop',
  /** nobody starts runners for this one, but they can see its jobs */
  outsider: 'acme/playground',
} as const;

/**
 * Synthesises a home-made runner stack with a detector attached, and returns its cloud assembly. Nothing in the runner stack knows of
 * the detector: jobs are recorded from the events of the state machine.
 */
export function synthesiseRunnerStack(options: { readonly observeOnly?: boolean } = {}): string {
  // aws-cdk-lib warns of its own use of deprecated properties in every TableV2
  process.env.JSII_DEPRECATED ??= 'quiet';
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'runner-demo-')), analyticsReporting: false });
  const stack = new Stack(app, 'Runners');
  const orchestrator = new StateMachine(stack, 'Orchestrator', {
    definitionBody: DefinitionBody.fromChainable(new Pass(stack, 'Start a machine and wait until its runner has ended')),
  });
  const runnerLogs = new LogGroup(stack, 'RunnerLogs');
  const detector = new StolenRunnerDetector(stack, 'Detector', {
    replacement: RunnerReplacement.stateMachine(orchestrator),
    credentials: GitHubCredentials.app(new Secret(stack, 'GitHubApp')),
    runnerLogGroups: [runnerLogs],
    ...options,
  });
  detector.recordExecutions();
  detector.addWebhook({ secret: new Secret(stack, 'WebhookSecret') });
  return app.synth().directory;
}
