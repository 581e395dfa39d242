import { Token, aws_iam as iam } from 'aws-cdk-lib';
import type { ProviderBinding } from './compute-provider';
import { MAX_RUNNER_NAME_LENGTH } from '../contract/limits';
import type { TextRule } from '../private/validate';
import { checkList, checkText, invalid, shown } from '../private/validate';

/** EC2 instances. */
export interface Ec2ComputeOptions {
  /**
   * What the names of the runners begin with: `gh-` for a runner named `gh-i-0123456789abcdef0`. Everything after it has to be
   * the instance id; other registrations are never touched. At most 45 characters each, because GitHub's names end at 64.
   *
   * Instances of other accounts must not use these names: their machines cannot be found here, and would look gone.
   */
  readonly runnerNamePrefixes: string[];

  /**
   * Every region in which such instances may run. A region that is missing here is noticed when an online runner has no machine:
   * nothing is deleted then.
   */
  readonly regions: string[];
}

const INSTANCE_ID_LENGTH = 'i-0123456789abcdef0'.length;

const MAX_PREFIX_LENGTH = MAX_RUNNER_NAME_LENGTH - INSTANCE_ID_LENGTH;

const REGION: TextRule = { pattern: /^[a-z]{2,4}(-[a-z]+){1,2}-\d{1,2}$/, allowed: 'a region like us-east-1' };

export function ec2Provider({ runnerNamePrefixes, regions }: Ec2ComputeOptions): ProviderBinding {
  checkList('runnerNamePrefixes', runnerNamePrefixes, { item: checkPrefix });
  checkList('regions', regions, { item: (property, region) => checkText(property, region, REGION) });
  return {
    config: { kind: 'ec2', runnerNamePrefixes, regions },
    statements: [new iam.PolicyStatement({
      actions: ['ec2:DescribeInstances'],
      // EC2 knows no smaller resource for this action; the condition is what narrows it
      resources: ['*'],
      conditions: { StringEquals: { 'aws:RequestedRegion': regions } },
    })],
  };
}

function checkPrefix(property: string, prefix: string): void {
  checkText(property, prefix);
  if (Token.isUnresolved(prefix)) return;
  if (prefix !== prefix.trim()) throw invalid(property, 'without blanks at its ends', shown(prefix));
  if (prefix.length > MAX_PREFIX_LENGTH) {
    throw invalid(property, `at most ${MAX_PREFIX_LENGTH} characters, so that an instance id fits into GitHub's ${MAX_RUNNER_NAME_LENGTH}`,
      `${shown(prefix)} with ${prefix.length}`);
  }
}
