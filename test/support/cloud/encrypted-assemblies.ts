import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { CustomerManagedEncryptionConfiguration, DefinitionBody, Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { APP_PARAMETERS } from './app-parameters';
import { DEMO } from '../../../examples/demo/demo-app';
import {
  ComputeProvider, GitHubCredentials, RegistrationJanitor, RunnerReplacement, RunnerScope, StolenRunnerDetector, type RegistrationJanitorProps,
} from '../../../src';

/** An armed janitor whose queues and secret are encrypted with keys of their own: QueueKey and AppKey. */
export function synthesiseEncryptedJanitor(): string {
  return synthesise((stack) => janitor(stack, {
    credentials: GitHubCredentials.app(new Secret(stack, 'GitHubApp', { encryptionKey: new Key(stack, 'AppKey') })),
    queueEncryptionKey: new Key(stack, 'QueueKey'),
  }));
}

/** An armed janitor whose Apps are in Parameter Store, encrypted with ParameterKey or, unless `withKey`, the AWS managed key. */
export function synthesiseManifestJanitor({ withKey }: { readonly withKey: boolean }): string {
  return synthesise((stack) => {
    const manifest = StringParameter.fromSecureStringParameterAttributes(stack, 'Manifest', { parameterName: APP_PARAMETERS.manifest });
    janitor(stack, {
      credentials: GitHubCredentials.ssmManifest(manifest, {
        parameterPath: APP_PARAMETERS.path,
        encryptionKey: withKey ? new Key(stack, 'ParameterKey') : undefined,
      }),
    });
  });
}

/** A runner stack with a detector, where all that can be encrypted has a key of its own: QueueKey, AppKey, WebhookKey and MachineKey. */
export function synthesiseEncryptedDetector(): string {
  // aws-cdk-lib warns of its own use of deprecated properties in every TableV2
  process.env.JSII_DEPRECATED ??= 'quiet';
  return synthesise((stack) => {
    const encryptionKey = new Key(stack, 'MachineKey');
    const orchestrator = new StateMachine(stack, 'Orchestrator', {
      definitionBody: DefinitionBody.fromChainable(new Pass(stack, 'Run')),
      encryptionConfiguration: new CustomerManagedEncryptionConfiguration(encryptionKey),
    });
    const detector = new StolenRunnerDetector(stack, 'Detector', {
      replacement: RunnerReplacement.stateMachine(orchestrator, { encryptionKey }),
      credentials: GitHubCredentials.app(new Secret(stack, 'GitHubApp', { encryptionKey: new Key(stack, 'AppKey') })),
      runnerLogGroups: [new LogGroup(stack, 'RunnerLogs')],
      queueEncryptionKey: new Key(stack, 'QueueKey'),
    });
    detector.recordExecutions();
    detector.addWebhook({ secret: new Secret(stack, 'WebhookSecret', { encryptionKey: new Key(stack, 'WebhookKey') }) });
  });
}

function janitor(stack: Stack, props: Pick<RegistrationJanitorProps, 'credentials' | 'queueEncryptionKey'>): void {
  new RegistrationJanitor(stack, 'Janitor', {
    runnerScope: RunnerScope.organization(DEMO.organization),
    computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: [DEMO.prefix], regions: [...DEMO.regions] }),
    dryRun: false,
    ...props,
  });
}

function synthesise(build: (stack: Stack) => void): string {
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'encrypted-assembly-')), analyticsReporting: false });
  build(new Stack(app, 'Encrypted'));
  return app.synth().directory;
}
