import type { Duration } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { ComputeProvider } from './compute/compute-provider';
import type { Evidence } from './evidence';
import type { GitHubCredentials } from './github-credentials';
import type { HandlerFunctionOptions } from './handler-function-options';
import type { RunnerScope } from './runner-scope';

/** Properties of `RegistrationJanitor`. */
export interface RegistrationJanitorProps extends HandlerFunctionOptions {
  /** Where at GitHub the registrations are. */
  readonly runnerScope: RunnerScope;

  /** Where the machines of the runners are. */
  readonly computeProvider: ComputeProvider;

  /** How to log in at GitHub. */
  readonly credentials: GitHubCredentials;

  /**
   * GitHub's host: `https://github.com`, an Enterprise Server, or a host with data residency (`https://acme.ghe.com`). Https only.
   *
   * @default https://github.com, and with `GitHubCredentials.cdkGithubRunners` the host that its secret names
   */
  readonly githubUrl?: string;

  /**
   * Whether to report only what would be deleted. Both looks are taken all the same, because the first alone does not show what would
   * really go. Turning it on also stops candidates that are already queued.
   *
   * @default true
   */
  readonly dryRun?: boolean;

  /**
   * Time between two first looks, from 20 minutes to 24 hours, in whole minutes. A ghost is gone after about one interval and 15 minutes.
   *
   * @default Duration.minutes(30)
   */
  readonly interval?: Duration;

  /**
   * The most candidates that one first look may queue, an integer from 1 to 1000. Each costs about 2.1 GitHub requests, with its share of the
   * pages that are read again at the second look. Useful is at most what the quota above the reserve allows in one interval, divided by 2.1:
   * with 5,000 requests an hour, a reserve of a fifth and half an hour, that is 950, less what the first look itself reads.
   *
   * It does not bound nominations (`nominateOnTermination`, `grantNominate`), which come on top.
   *
   * @default 100
   */
  readonly candidatesPerRun?: number;

  /**
   * The part of a credential's hourly GitHub quota that is left to whoever registers runners with it, from 0 to 0.9. A credential that is down
   * to its reserve is not used until its quota is renewed. When all of them are, a first look ends early (`EndedEarly`) and the next one
   * goes on; candidates of a second look go back to the queue and are tried again, five times at most.
   *
   * @default 0.2
   */
  readonly quotaReserve?: number;

  /**
   * What is enough to hold a machine for gone. Choose `TERMINATED_SEEN` whenever other accounts may use the same names, or machines, stopped
   * ones too, may exist in places that the compute provider is not told of.
   *
   * @default Evidence.ABSENT
   */
  readonly evidence?: Evidence;

  /**
   * Registrations with one of these labels are never deleted. Compared without case, as GitHub does.
   *
   * @default - none
   */
  readonly protectedLabels?: string[];

  /**
   * Names of runners that look like ours, are online, and have no machine that the provider could find. One such runner stops all deletions
   * until its cause is found or it is listed here. Those listed are never deleted. A name that the compute provider could not give is an error,
   * because such runners are never touched anyway.
   *
   * @default - none
   */
  readonly acknowledgedForeignRunners?: string[];

  /**
   * Key that encrypts both queues. For encrypted logs, give a `logGroup`.
   *
   * @default - keys managed by SQS
   */
  readonly queueEncryptionKey?: kms.IKey;
}
