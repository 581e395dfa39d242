import { Aspects } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { janitorStack } from './support/synth';

/** Every finding of cdk-nag, and why it stands. The list is exact: a new finding fails, and so does one that has gone. */
const EXPECTED = {
  '/Runners/App/Resource AwsSolutions-SMG4': 'the key of a GitHub App cannot be rotated by a function: GitHub has no API for it',
  '/Runners/Janitor/MachinesPolicy/Resource AwsSolutions-IAM5[Resource::*]': 'ec2:DescribeInstances knows no smaller resource; the listed regions narrow it',
};

test('cdk-nag finds exactly what is known and explained', () => {
  const { stack } = janitorStack();
  Aspects.of(stack).add(new AwsSolutionsChecks());
  const annotations = Annotations.fromStack(stack);
  const anything = Match.stringLikeRegexp('.*');
  const found = [...annotations.findError('*', anything), ...annotations.findWarning('*', anything)]
    .map(({ id, entry }) => `${id} ${/^[\w-]+(\[.*?\])?/.exec(entry.data as string)![0]}`);
  expect(found.sort()).toEqual(Object.keys(EXPECTED).sort());
});
