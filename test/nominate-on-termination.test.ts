import type { Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { environmentOf, janitorStack, resourceOf, templateOf } from './support/synth';
import { templateProblems } from './support/template-problems';
import { endingMachine } from '../lambda-src/janitor/nominate';
import { janitorConfig } from '../lambda-src/shared/config';
import type { TerminationNominationOptions } from '../src';
import { ComputeProvider } from '../src';

const machineTags = { fleet: 'runners' };

function nominating(options: TerminationNominationOptions = { machineTags }) {
  const { stack, janitor } = janitorStack();
  janitor.nominateOnTermination(options);
  return templateOf(stack);
}

const warningsOf = (stack: Stack) => Annotations.fromStack(stack).findWarning('*', Match.anyValue()).map(({ entry }) => entry.data);

test('the ends of machines reach the function that takes the first look', () => {
  const template = nominating();
  expect(templateProblems(template)).toEqual([]);
  const { Properties } = resourceOf(template, 'AWS::Events::Rule', 'Terminations');
  expect(Properties.EventPattern).toEqual({
    'source': ['aws.ec2'], 'detail-type': ['EC2 Instance State-change Notification'], 'detail': { state: ['shutting-down', 'terminated'] },
  });
  expect(Properties.Targets).toEqual([
    { Id: 'Target0', Arn: { 'Fn::GetAtt': ['JanitorDiscoveryCBC19421', 'Arn'] }, RetryPolicy: { MaximumRetryAttempts: 0 } },
  ]);
  expect(Properties.Description).toBe('[Runners/Janitor] nominates the runner of a machine that ends');
});

test('the function takes exactly those events for the end of a machine that the rule lets through', () => {
  const { EventPattern } = resourceOf(nominating(), 'AWS::Events::Rule', 'Terminations').Properties;
  const ends = ['pending', 'running', 'stopping', 'stopped', 'shutting-down', 'terminated']
    .filter((state) => endingMachine({ 'source': EventPattern.source[0], 'detail-type': EventPattern['detail-type'][0], 'detail': { 'instance-id': 'i-1', state } }));
  expect(ends).toEqual(EventPattern.detail.state);
});

test('the tags of our machines reach the function', () => {
  const variables = environmentOf(nominating({ machineTags: { 'ghr:environment': 'prod' } }), 'Discovery');
  expect(janitorConfig({ ...variables, CONFIRMATION_QUEUE_URL: 'https://sqs.example/q' }).nominationTags).toEqual({ 'ghr:environment': 'prod' });
});

test.each([
  ['no tags', { machineTags: {} }],
  ['nothing, from a language without types,', {} as TerminationNominationOptions],
])('%s is an error: nothing else tells the machine of a runner from another, and each would cost a request at GitHub', (_, options) => {
  expect(() => nominating(options)).toThrow(new Error("'machineTags' must be at least one tag that the machines of runners carry, got none"));
});

test('a blank tag is an error', () => {
  expect(() => nominating({ machineTags: { ' ': 'x' } })).toThrow(new Error("'machineTags' must be more than blanks, got ' '"));
});

test('a region that the rule cannot hear of is a warning', () => {
  const computeProvider = ComputeProvider.ec2({ runnerNamePrefixes: ['gh-'], regions: ['eu-west-1'] });
  const { stack, janitor } = janitorStack({ computeProvider });
  janitor.nominateOnTermination({ machineTags });
  expect(warningsOf(stack)).toEqual([expect.stringMatching(/hears of machines in us-east-1 only, and the provider covers eu-west-1: .*terminationsUnheard/)]);
});

test('the region of the stack among others is no warning', () => {
  const { stack, janitor } = janitorStack({ computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: ['gh-'], regions: ['eu-west-1', 'us-east-1'] }) });
  janitor.nominateOnTermination({ machineTags });
  expect(warningsOf(stack)).toEqual([]);
});

test('twice is an error', () => {
  const { janitor } = janitorStack();
  janitor.nominateOnTermination({ machineTags });
  expect(() => janitor.nominateOnTermination({ machineTags })).toThrow(/already a Construct with name 'Terminations'/);
});
