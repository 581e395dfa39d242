import type { RemovalPolicy } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as logs from 'aws-cdk-lib/aws-logs';
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type { GitHubCredentials } from './github-credentials';
import type { HandlerFunctionOptions } from './handler-function-options';
import type { RunnerReplacement } from './runner-replacement';

/** Properties of `StolenRunnerDetector`. */
export interface StolenRunnerDetectorProps extends HandlerFunctionOptions {
  /** How a robbed runner is replaced. */
  readonly replacement: RunnerReplacement;

  /**
   * How to log in at GitHub. Only jobs and runners are read. With a token instead of an App, a repository that cannot be seen is never taken
   * for a thief's.
   */
  readonly credentials: GitHubCredentials;

  /**
   * Where the runners log to: each writes a line with `CDKGHR JOB RUNNER=` when it picks up a job. CloudWatch allows two subscription filters
   * on a log group, and this takes one of them.
   *
   * @default - none; see `watchLogGroup`, `attachReporter` and `addWebhook`
   */
  readonly runnerLogGroups?: logs.ILogGroup[];

  /**
   * GitHub's host: `https://github.com`, an Enterprise Server, or a host with data residency (`https://acme.ghe.com`). Https only.
   *
   * @default https://github.com, and with `GitHubCredentials.cdkGithubRunners` the host that its secret names
   */
  readonly githubUrl?: string;

  /**
   * How often a runner that was started for a job is replaced, an integer from 1 to 9. After that the detector gives up, and says so.
   *
   * @default 3
   */
  readonly maxReplacements?: number;

  /**
   * The most replacements in one hour of the clock, an integer from 1 to 1000. It caps the bill if somebody steals on a large scale.
   *
   * @default 20
   */
  readonly maxReplacementsPerHour?: number;

  /**
   * Whether to judge and report only, and to start nothing. The permission to start is then left out.
   *
   * @default false
   */
  readonly observeOnly?: boolean;

  /**
   * What becomes of the table when the stack is removed. Its rows live for three days.
   *
   * @default RemovalPolicy.DESTROY
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Key that encrypts the report queue. The table is encrypted with a key that DynamoDB owns. For encrypted logs, give a `logGroup`.
   *
   * @default - a key managed by SQS
   */
  readonly queueEncryptionKey?: kms.IKey;
}

/** Options of `StolenRunnerDetector.addWebhook`. */
export interface DetectorWebhookOptions {
  /**
   * What the webhook is signed with: the text itself, or JSON `{ "webhookSecret": "..." }` as cdk-github-runners keeps it.
   */
  readonly secret: secretsmanager.ISecret;
}
