import { Annotations, Lazy } from 'aws-cdk-lib';
import { Annotations as Found, Match } from 'aws-cdk-lib/assertions';
import { instanceIdOf } from '../../lambda-src/compute/ec2';
import { ComputeProvider } from '../../src';
import { MAX_RUNNER_NAME_LENGTH } from '../../src/contract/limits';
import { janitorStack, templateOf } from '../support/synth';

const ec2 = (runnerNamePrefixes: string[], regions = ['us-east-1']) => ComputeProvider.ec2({ runnerNamePrefixes, regions });

test.each<[string, () => unknown, string]>([
  ['no prefix', () => ec2([]), "'runnerNamePrefixes' must be a list of at least one item, got none"],
  ['an empty prefix', () => ec2(['']), "'runnerNamePrefixes[0]' must be more than blanks; names without a prefix are not supported, because bare instance ids could be anybody's, got ''"],
  ['a blank prefix', () => ec2(['gh-', '  ']), "'runnerNamePrefixes[1]' must be more than blanks; names without a prefix are not supported, because bare instance ids could be anybody's, got '  '"],
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

describe('a region that the CDK does not know', () => {
  const warnings = (regions: string[], acknowledged?: string) => {
    const { stack, janitor } = janitorStack({ computeProvider: ec2(['gh-'], regions) });
    if (acknowledged) Annotations.of(janitor).acknowledgeWarning(acknowledged);
    templateOf(stack);
    return Found.fromStack(stack).findWarning('*', Match.anyValue()).map(({ entry }) => entry.data);
  };

  test('is a warning and no error, because regions are opened more often than the CDK is updated', () => {
    expect(warnings(['eu-middle-1', 'us-east-1', 'us-esat-1'])).toEqual([
      'the CDK knows no region eu-middle-1, us-esat-1: if it is misspelt, no machine can be looked up there, and nothing is ever deleted '
      + '[ack: cdk-github-runner-janitor:RegistrationJanitor.unknownRegion]',
    ]);
  });

  test('can be acknowledged', () => {
    expect(warnings(['eu-middle-1'], 'cdk-github-runner-janitor:RegistrationJanitor.unknownRegion')).toEqual([]);
  });

  test('is not one that only the deployment knows', () => {
    expect(warnings(['us-east-1', Lazy.string({ produce: () => 'eu-middle-1' })])).toEqual([]);
  });
});

describe('an acknowledged foreign runner', () => {
  const acknowledging = (acknowledgedForeignRunners: string[], prefixes = ['gh-', 'p_']) =>
    () => janitorStack({ computeProvider: ec2(prefixes), acknowledgedForeignRunners });

  test.each(['mac-mini-1', 'gh-', 'gh-i-0123', 'gh-i-0123456789abcdef0-1', 'p-i-0123456789abcdef0', 'GH-i-0123456789abcdef0', 'i-0123456789abcdef0', ' gh-i-0123abcd'])(
    'called "%s" is an error, because it is never touched and could exempt nobody', (name) => {
      expect(acknowledging([name])).toThrow(new Error("'acknowledgedForeignRunners[0]' must be a name like 'gh-i-0123456789abcdef0' or "
        + `'p_i-0123456789abcdef0' (no others are ever touched), got '${name}'`));
      expect(instanceIdOf(name, ['gh-', 'p_'])).toBeUndefined();
    });

  test.each(['gh-i-0123456789abcdef0', 'p_i-0123abcd'])('called "%s" is one that the functions take for ours too', (name) => {
    expect(acknowledging([name])).not.toThrow();
    expect(instanceIdOf(name, ['gh-', 'p_'])).toBeDefined();
  });

  test('may be a token, and may follow a prefix that is one', () => {
    const text = Lazy.string({ produce: () => 'later' });
    expect(acknowledging([text])).not.toThrow();
    expect(acknowledging(['elastic-i-0123abcd'], [text])).not.toThrow();
  });
});
