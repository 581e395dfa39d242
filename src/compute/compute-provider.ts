import type * as iam from 'aws-cdk-lib/aws-iam';
import type { Ec2ComputeOptions } from './ec2';
import { ec2Provider } from './ec2';
import type { ComputeConfig } from '../contract/janitor-config';

/** What a kind of machines gives the functions: what to look for, and the permission to look. */
export interface ProviderBinding {
  readonly config: ComputeConfig;
  readonly statements: readonly iam.PolicyStatement[];
  /** what looks wrong and may be right; a provider is made before there is a construct that could warn */
  readonly warnings: ReadonlyArray<{ readonly reason: string; readonly text: string }>;
  /** @throws when no machine of the provider can have a runner of this name */
  readonly checkRunnerName: (property: string, name: string) => void;
}

/**
 * Where the machines are that runners run on. The functions ask it which registrations are ours, judging by their names, and whether
 * their machines are gone. It only ever looks; it never changes or ends a machine.
 */
export class ComputeProvider {
  /**
   * EC2 instances whose runners are named `<prefix><instance id>`.
   *
   * @param options names and regions
   */
  public static ec2(options: Ec2ComputeOptions): ComputeProvider {
    return new ComputeProvider(ec2Provider(options));
  }

  private constructor(
    /** @internal */
    public readonly _binding: ProviderBinding,
  ) {}
}
