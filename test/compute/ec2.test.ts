import { Lazy } from 'aws-cdk-lib';
import { instanceIdOf } from '../../lambda-src/compute/ec2';
import { ComputeProvider } from '../../src';
import { MAX_RUNNER_NAME_LENGTH } from '../../src/contract/limits';

const ec2 = (runnerNamePrefixes: string[], regions = ['us-east-1']) => ComputeProvider.ec2({ runnerNamePrefixes, regions });

test.each<[string, () => unknown, string]>([
  ['no prefix', () => ec2([]), "'runnerNamePrefixes' must be a list of at least one item, got none"],
  ['an empty prefix', () => ec2(['']), "'runnerNamePrefixes[0]' must be more than blanks, got ''"],
  ['a blank prefix', () => ec2(['gh-', '  ']), "'runnerNamePrefixes[1]' must be more than blanks, got '  '"],
  ['a prefix with a blank at its end', () => ec2(['gh- ']), "'runnerNamePrefixes[0]' must be without blanks at its ends, got 'gh- '"],
  ['a prefix twice', () => ec2(['gh-', 'gh-']), "'runnerNamePrefixes[1]' must be listed once, got 'gh-'"],
  ['case 4: a prefix of 46 characters', () => ec2(['p'.repeat(46)]),
    `'runnerNamePrefixes[0]' must be at most 45 characters, so that an instance id fits into GitHub's 64, got '${'p'.repeat(46)}' with 46`],
  ['no region', () => ec2(['gh-'], []), "'regions' must be a list of at least one item, got none"],
  ['a blank region', () => ec2(['gh-'], ['']), "'regions[0]' must be a region like us-east-1, got ''"],
  ['an availability zone', () => ec2(['gh-'], ['us-east-1a']), "'regions[0]' must be a region like us-east-1, got 'us-east-1a'"],
  ['a region in capitals', () => ec2(['gh-'], ['US-EAST-1']), "'regions[0]' must be a region like us-east-1, got 'US-EAST-1'"],
  ['a region twice', () => ec2(['gh-'], ['us-east-1', 'us-east-1']), "'regions[1]' must be listed once, got 'us-east-1'"],
])('%s is an error', (_, make, message) => {
  expect(make).toThrow(new Error(message));
});

test('the longest prefix leaves exactly the room of an instance id', () => {
  const prefix = 'p'.repeat(45);
  expect(() => ec2([prefix])).not.toThrow();
  const name = `${prefix}i-0123456789abcdef0`;
  expect(name).toHaveLength(MAX_RUNNER_NAME_LENGTH);
  expect(instanceIdOf(name, [prefix])).toBe('i-0123456789abcdef0');
});

test.each(['us-east-1', 'ap-southeast-5', 'us-gov-west-1', 'cn-northwest-1', 'eusc-de-east-1', 'us-iso-east-1', 'mx-central-1'])('%s is a region', (region) => {
  expect(() => ec2(['gh-'], [region])).not.toThrow();
});

test('prefixes and regions may be tokens', () => {
  const text = Lazy.string({ produce: () => 'later' });
  expect(() => ec2([text], [text])).not.toThrow();
});
