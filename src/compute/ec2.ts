import { Token, aws_iam as iam } from 'aws-cdk-lib';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { ProviderBinding } from './compute-provider';
import { MAX_RUNNER_NAME_LENGTH } from '../contract/limits';
import type { TextRule } from '../private/validate';
import { checkList, checkText, invalid, shown } from '../private/validate';

/** EC2 instances. */
export interface Ec2ComputeOptions {
  /**
   * What the names of the runners begin with: `gh-` for a runner named `gh-i-0123456789abcdef0`. Everything after it has to be
   * the instance id; other registrations are never touched. At most 45 characters each, because GitHub's names end at 64. Names
   * without a prefix are not supported.
   *
   * Instances of other accounts must not use these names: their machines cannot be found here, and would look gone. Where they may,
   * use `Evidence.TERMINATED_SEEN`.
   */
  readonly runnerNamePrefixes: string[];

  /**
   * Every region in which such instances may run. A region that is missing here is noticed only while a runner of that region is online:
   * nothing is deleted then. If all of its runners are offline, their registrations look like ghosts. `Evidence.TERMINATED_SEEN` guards
   * against that.
   *
   * A region that the CDK does not know is a warning: if there is no such region, no look-up succeeds, and nothing is ever deleted.
   */
  readonly regions: string[];
}

const INSTANCE_ID_LENGTH = 'i-0123456789abcdef0'.length;

const MAX_PREFIX_LENGTH = MAX_RUNNER_NAME_LENGTH - INSTANCE_ID_LENGTH;

/** As it stands in a runner's name; what the functions make of names is written down beside their look-up. */
const INSTANCE_ID = /^i-([0-9a-f]{8}|[0-9a-f]{17})$/;

const PREFIX: TextRule = { pattern: /\S/, allowed: 'more than blanks; names without a prefix are not supported, because bare instance ids could be anybody\'s' };

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
    warnings: unknownRegions(regions),
    checkRunnerName: (property, name) => checkRunnerName(property, name, runnerNamePrefixes),
  };
}

function checkPrefix(property: string, prefix: string): void {
  checkText(property, prefix, PREFIX);
  if (Token.isUnresolved(prefix)) return;
  if (prefix !== prefix.trim()) throw invalid(property, 'without blanks at its ends', shown(prefix));
  if (prefix.length > MAX_PREFIX_LENGTH) {
    throw invalid(property, `at most ${MAX_PREFIX_LENGTH} characters, so that an instance id fits into GitHub's ${MAX_RUNNER_NAME_LENGTH}`,
      `${shown(prefix)} with ${prefix.length}`);
  }
}

function checkRunnerName(property: string, name: string, prefixes: readonly string[]): void {
  checkText(property, name);
  if (Token.isUnresolved(name) || prefixes.some((prefix) => Token.isUnresolved(prefix))) return;
  if (prefixes.some((prefix) => name.startsWith(prefix) && INSTANCE_ID.test(name.slice(prefix.length)))) return;
  throw invalid(property, `a name like ${prefixes.map((prefix) => `'${prefix}i-0123456789abcdef0'`).join(' or ')} (no others are ever touched)`, shown(name));
}

/** Regions are opened more often than the CDK is updated, so this is no error. */
function unknownRegions(regions: readonly string[]): ProviderBinding['warnings'] {
  const known = new Set(RegionInfo.regions.map(({ name }) => name));
  const unknown = regions.filter((region) => !Token.isUnresolved(region) && !known.has(region));
  if (unknown.length === 0) return [];
  return [{
    reason: 'unknownRegion',
    text: `the CDK knows no region ${unknown.join(', ')}: if it is misspelt, no machine can be looked up there, and nothing is ever deleted`,
  }];
}
