/** What the janitor's construct tells its functions through their environment. */

export const JANITOR_ENV = {
  /** `https://github.com`, a GHES host or a data residency host; absent: the host that the cdk-github-runners secret names */
  githubUrl: 'GITHUB_URL',
  /** JSON, {@link ScopeConfig} */
  scope: 'GITHUB_SCOPE',
  /** JSON, {@link CredentialsConfig}; the ARNs stand in variables of their own, so that the template shows a plain reference */
  credentials: 'GITHUB_CREDENTIALS',
  /** JSON, {@link ComputeConfig} */
  compute: 'COMPUTE_PROVIDER',
  /** {@link EvidencePolicy} */
  evidence: 'EVIDENCE',
  /** `true` or `false`; anything else counts as `true` */
  dryRun: 'DRY_RUN',
  candidatesPerRun: 'CANDIDATES_PER_RUN',
  /** fraction of the App's limit left to whoever registers runners, 0 to 0.9 */
  quotaReserve: 'QUOTA_RESERVE',
  /** the schedule expression itself: `rate(30 minutes)` */
  schedule: 'SCHEDULE',
  queueUrl: 'CONFIRMATION_QUEUE_URL',
  /** JSON array of strings */
  protectedLabels: 'PROTECTED_LABELS',
  /** JSON array of strings */
  acknowledgedForeignRunners: 'ACKNOWLEDGED_FOREIGN_RUNNERS',
} as const;

/**
 * The unique id of the role of the function that takes the first look, told to the one that takes the second. SQS names it as the
 * sender of every message: what claims to come from a first look has to come from that role.
 */
export const CANDIDATE_SENDER_ENV = 'CANDIDATE_SENDER';

/** JSON object of tags that a machine must carry for its end to nominate its runner; absent: every machine does. */
export const NOMINATION_TAGS_ENV = 'NOMINATION_TAGS';

/** What a function of the runner stack is told that may nominate. Public: its name stays. */
export const NOMINATION_ENV = { queueUrl: 'RUNNER_NOMINATION_QUEUE_URL' } as const;

/** Which runner groups: all that belong to the scope itself, or exactly the named ones. */
export interface GroupSelection {
  readonly names: readonly string[];
  readonly ids: readonly number[];
}

export type ScopeConfig =
  | { readonly kind: 'organization'; readonly owner: string; readonly groups?: GroupSelection }
  | { readonly kind: 'enterprise'; readonly owner: string; readonly groups?: GroupSelection }
  | { readonly kind: 'repositories'; readonly owner: string; readonly repositories: readonly string[] };

/** Values are names of environment variables that hold a secret's ARN (or a parameter's name). */
export type CredentialsConfig =
  | { readonly kind: 'apps'; readonly secrets: readonly string[] }
  | { readonly kind: 'token'; readonly secret: string }
  | { readonly kind: 'cdkGithubRunners'; readonly secret: string; readonly privateKey: string }
  | { readonly kind: 'ssmManifest'; readonly parameter: string };

export type ComputeConfig = Ec2Config;

export interface Ec2Config {
  readonly kind: 'ec2';
  readonly runnerNamePrefixes: readonly string[];
  readonly regions: readonly string[];
}

/** `absent`: absent or terminated is enough. `terminated`: only a machine seen in its final state counts. */
export type EvidencePolicy = 'absent' | 'terminated';
