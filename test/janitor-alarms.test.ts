import type { Stack } from 'aws-cdk-lib';
import { Duration } from 'aws-cdk-lib';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as sns from 'aws-cdk-lib/aws-sns';
import { Evidence } from '../src';
import { janitorStack, resourcesOf, templateOf } from './support/synth';
import { DISCOVERY_METRICS, OUTCOME_METRICS } from '../src/contract/janitor-metrics';

const EMITTED = { Namespace: 'GithubRunnerJanitor', Dimensions: [{ Name: 'service', Value: 'Runners/Janitor' }], Statistic: 'Sum', Period: 300 };

const alarmsOf = (stack: Stack) => Object.fromEntries(
  Object.entries(resourcesOf(templateOf(stack), 'AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => [id.replace(/^JanitorAlarms|[0-9A-F]{8}$/g, ''), Properties]),
);

test('there is an alarm for everything that needs a person, and each goes off at the first occurrence', () => {
  const { stack, janitor } = janitorStack();
  janitor.createAlarms();
  const alarms = alarmsOf(stack);
  const watched = Object.fromEntries(Object.entries(alarms).map(([name, { Namespace, MetricName }]) => [name, `${Namespace} ${MetricName}`]));
  expect(watched).toEqual({
    DiscoveryFailed: 'AWS/Lambda Errors',
    ConfirmationFailed: 'AWS/Lambda Errors',
    DeadLetters: 'AWS/SQS ApproximateNumberOfMessagesVisible',
    ScopeViolated: 'GithubRunnerJanitor ScopeViolations',
    DeletionRefused: 'GithubRunnerJanitor Refused',
    CredentialTrouble: 'GithubRunnerJanitor CredentialTrouble',
  });
  for (const alarm of Object.values(alarms)) {
    expect(alarm).toMatchObject({
      Threshold: 1,
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
      AlarmDescription: expect.stringMatching(/^\[Runners\/Janitor\] ./),
    });
  }
});

test('an alarm on a metric of the janitor looks at this janitor only', () => {
  const { stack, janitor } = janitorStack();
  janitor.createAlarms();
  expect(alarmsOf(stack).DeletionRefused).toMatchObject(EMITTED);
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
