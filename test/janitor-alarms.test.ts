import type { Stack } from 'aws-cdk-lib';
import { Duration, Lazy, Token } from 'aws-cdk-lib';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as sns from 'aws-cdk-lib/aws-sns';
import { Evidence } from '../src';
import { janitorStack, resourcesOf, templateOf } from './support/synth';
import { DISCOVERY_METRICS, OUTCOME_METRICS } from '../src/contract/janitor-metrics';

const alarmsOf = (stack: Stack) => Object.fromEntries(
  Object.entries(resourcesOf(templateOf(stack), 'AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => [id.replace(/^JanitorAlarms|[0-9A-F]{8}$/g, ''), Properties]),
);

const AT_ONCE = { Threshold: 1, ComparisonOperator: 'GreaterThanOrEqualToThreshold', TreatMissingData: 'notBreaching' };
const STILL_SO = { ...AT_ONCE, Statistic: 'Sum', Period: 1800, EvaluationPeriods: 2, DatapointsToAlarm: 1 };
const PERSISTENT = { ...AT_ONCE, Statistic: 'Sum', Period: 1800, EvaluationPeriods: 7, DatapointsToAlarm: 6 };

test.each([
  ['DiscoveryFailed', 'AWS/Lambda Errors', STILL_SO],
  ['DiscoverySilent', 'GithubRunnerJanitor FirstLooksSucceeded', {
    Statistic: 'Sum', Period: 1800, EvaluationPeriods: 3, Threshold: 1, ComparisonOperator: 'LessThanThreshold', TreatMissingData: 'breaching',
  }],
  ['ConfirmationFailed', 'AWS/Lambda Errors', STILL_SO],
  ['DeadLetters', 'AWS/SQS ApproximateNumberOfMessagesVisible', { ...AT_ONCE, Statistic: 'Maximum', Period: 300, EvaluationPeriods: 1 }],
  ['ScopeViolated', 'GithubRunnerJanitor ScopeViolations', STILL_SO],
  ['DeletionRefused', 'GithubRunnerJanitor Refused', STILL_SO],
  ['CredentialTrouble', 'GithubRunnerJanitor CredentialTrouble', STILL_SO],
  ['GroupSkipped', 'GithubRunnerJanitor GroupsSkipped', STILL_SO],
  ['EndedEarly', 'GithubRunnerJanitor EndedEarly', PERSISTENT],
  ['SendsFailed', 'GithubRunnerJanitor SendsFailed', PERSISTENT],
  ['LookupsUnknown', 'GithubRunnerJanitor LookupsUnknown', PERSISTENT],
])('%s watches %s, and stays in alarm from one look to the next', (name, watched, evaluation) => {
  const { stack, janitor } = janitorStack();
  janitor.createAlarms();
  const alarm = alarmsOf(stack)[name];
  expect(`${alarm.Namespace} ${alarm.MetricName}`).toBe(watched);
  expect(alarm).toMatchObject({ ...evaluation, AlarmDescription: expect.stringMatching(/^\[Runners\/Janitor\] ./) });
});

test('there are no other alarms, and none is longer than a description may be', () => {
  const { stack, janitor } = janitorStack();
  janitor.createAlarms();
  expect(Object.keys(alarmsOf(stack))).toHaveLength(11);
  for (const { AlarmDescription } of Object.values(alarmsOf(stack))) expect(AlarmDescription.length).toBeLessThanOrEqual(256);
});

test('an alarm on a metric of the janitor looks at this janitor only', () => {
  const { stack, janitor } = janitorStack();
  janitor.createAlarms();
  const ofJanitor = Object.values(alarmsOf(stack)).filter(({ Namespace }) => Namespace === 'GithubRunnerJanitor');
  expect(ofJanitor).toHaveLength(8);
  for (const { Dimensions } of ofJanitor) expect(Dimensions).toEqual([{ Name: 'service', Value: 'Runners/Janitor' }]);
});

describe('what the alarms count in', () => {
  const evaluationsFor = (interval: Duration) => {
    const { stack, janitor } = janitorStack({ interval });
    janitor.createAlarms();
    return Object.entries(alarmsOf(stack)).filter(([name]) => name !== 'DeadLetters').map(([, { Period, EvaluationPeriods }]) => ({ Period, EvaluationPeriods }));
  };

  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
  const furthest = (period: number) => (period < 3600 ? 86_400 : 604_800);

  test.each([20, 59, 60, 61, 24 * 60])('is an interval of %d minutes, and CloudWatch looks back that far', (minutes) => {
    const evaluations = evaluationsFor(Duration.minutes(minutes));
    expect(evaluations).toHaveLength(10);
    for (const { Period, EvaluationPeriods } of evaluations) {
      expect(Period).toBe(minutes * 60);
      expect(Period * EvaluationPeriods).toBeLessThanOrEqual(furthest(Period));
    }
  });

  test.each([
    ['a parameter', () => Token.asNumber({ Ref: 'Minutes' })],
    ['a value that is known later', () => Lazy.number({ produce: () => 30 })],
  ])('is a day where the interval is %s', (_, minutes) => {
    for (const { Period } of evaluationsFor(Duration.minutes(minutes()))) expect(Period).toBe(86_400);
  });
});

test('all of them do what they are given to do', () => {
  const { stack, janitor } = janitorStack();
  const topic = new sns.Topic(stack, 'Topic');
  const { deadLetters } = janitor.createAlarms({ actions: [new actions.SnsAction(topic)] });
  for (const { AlarmActions } of Object.values(alarmsOf(stack))) expect(AlarmActions).toEqual([stack.resolve(topic.topicArn)]);
  expect(deadLetters.node.path).toBe('Runners/Janitor/Alarms/DeadLetters');
});

test('foreign runners are no alarm where only machines count that were seen terminated', () => {
  const { stack, janitor } = janitorStack({ evidence: Evidence.TERMINATED_SEEN });
  expect(janitor.createAlarms().scopeViolated).toBeUndefined();
  expect(Object.keys(alarmsOf(stack))).not.toContain('ScopeViolated');
});

test('a second set of alarms is an error', () => {
  const { janitor } = janitorStack();
  janitor.createAlarms();
  expect(() => janitor.createAlarms()).toThrow(/already a Construct with name 'Alarms'/);
});

describe('metrics', () => {
  const { stack, janitor } = janitorStack();

  test.each([
    ['Candidates', janitor.metricCandidates()],
    ['Deleted', janitor.metricDeleted()],
    ['WouldDelete', janitor.metricWouldDelete()],
    ['AlreadyGone', janitor.metricAlreadyGone()],
    ['ScopeViolations', janitor.metricScopeViolations()],
    ['StuckBusy', janitor.metricStuckBusy()],
    ['Refused', janitor.metricRefused()],
    ['Unknown', janitor.metricUnknown()],
    ['CredentialTrouble', janitor.metricCredentialTrouble()],
    ['EndedEarly', janitor.metricEndedEarly()],
  ])('%s is what the functions emit, under the dimension they emit it with', (name, metric) => {
    expect(metric).toMatchObject({
      namespace: 'GithubRunnerJanitor', metricName: name, dimensions: { service: 'Runners/Janitor' }, statistic: 'Sum', account: stack.account, region: stack.region,
    });
  });

  test('every name the functions emit can be asked for', () => {
    for (const name of [...Object.values(DISCOVERY_METRICS), ...Object.values(OUTCOME_METRICS)]) expect(janitor.metric(name).metricName).toBe(name);
  });

  test('a name they do not emit is an error that lists those they do', () => {
    expect(() => janitor.metric('Delete')).toThrow(/^'metricName' must be one of Candidates, .*, Deleted, .*, got 'Delete'$/);
  });

  test("the caller's options win", () => {
    expect(janitor.metricDeleted({ statistic: 'Maximum', period: Duration.hours(1), label: 'gone' })).toMatchObject({
      statistic: 'Maximum', period: Duration.hours(1), label: 'gone', metricName: 'Deleted',
    });
  });
});
