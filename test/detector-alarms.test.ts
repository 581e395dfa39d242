import type { Stack } from 'aws-cdk-lib';
import { Duration } from 'aws-cdk-lib';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { StolenRunnerDetector } from '../src';
import { DetectorAlarms } from '../src';
import { detectorStack } from './support/detector-synth';
import { resourcesOf, templateOf } from './support/synth';
import { DETECTOR_METRICS } from '../src/contract/detector-metrics';

const FIRST_OCCURRENCE = {
  Threshold: 1,
  EvaluationPeriods: 1,
  ComparisonOperator: 'GreaterThanOrEqualToThreshold',
  TreatMissingData: 'notBreaching',
  AlarmDescription: expect.stringMatching(/^\[Runners\/Detector\] ./),
};

const alarmsOf = (stack: Stack) => Object.fromEntries(
  Object.entries(resourcesOf(templateOf(stack), 'AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => [id.replace(/^DetectorAlarms|[0-9A-F]{8}$/g, ''), Properties]),
);

test('there is an alarm for everything that needs a person, on this detector only, and each goes off at the first occurrence', () => {
  const { stack, detector } = detectorStack();
  detector.createAlarms();
  const alarms = alarmsOf(stack);
  expect(Object.fromEntries(Object.entries(alarms).map(([name, { Namespace, MetricName }]) => [name, `${Namespace} ${MetricName}`]))).toEqual({
    IntakeFailed: 'AWS/Lambda Errors',
    JudgeFailed: 'AWS/Lambda Errors',
    GaveUp: 'GithubRunnerJanitor GaveUp',
    CapReached: 'GithubRunnerJanitor CapReached',
    ReportExpired: 'GithubRunnerJanitor ReportExpired',
    Forged: 'GithubRunnerJanitor ForgedReports',
    CredentialTrouble: 'GithubRunnerJanitor CredentialTrouble',
    SendsFailed: 'GithubRunnerJanitor SendsFailed',
  });
  for (const alarm of Object.values(alarms)) {
    expect(alarm).toMatchObject(FIRST_OCCURRENCE);
  }
  expect(alarms.GaveUp.Dimensions).toEqual([{ Name: 'service', Value: 'Runners/Detector' }]);
});

describe('alarms on the recorder and the webhook', () => {
  const added = (detector: StolenRunnerDetector) => {
    detector.recordExecutions();
    detector.addWebhook({ secret: new secretsmanager.Secret(detector, 'Hook') });
  };
  const names = ['RecorderFailed', 'InputsMissing', 'WebhookFailed'];

  test('are not made where there are none', () => {
    const { stack, detector } = detectorStack();
    expect(detector.createAlarms()).toMatchObject({ recorderFailed: undefined, inputsMissing: undefined, webhookFailed: undefined });
    const made = alarmsOf(stack);
    expect(names.filter((name) => name in made)).toEqual([]);
  });

  test.each([
    ['before', (detector: StolenRunnerDetector) => { added(detector); detector.createAlarms(); }],
    ['after', (detector: StolenRunnerDetector) => { detector.createAlarms(); added(detector); }],
    ['before, for alarms of one\'s own', (detector: StolenRunnerDetector) => { added(detector); new DetectorAlarms(detector, 'Alarms', { detector }); }],
    ['after, for alarms of one\'s own', (detector: StolenRunnerDetector) => { new DetectorAlarms(detector, 'Alarms', { detector }); added(detector); }],
  ])('are made if those are added %s', (_, make) => {
    const { stack, detector } = detectorStack();
    make(detector);
    const { RecorderFailed, InputsMissing, WebhookFailed } = alarmsOf(stack);
    const of = (fn?: lambda.Function) => [{ Name: 'FunctionName', Value: stack.resolve(fn!.functionName) }];
    expect(RecorderFailed).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Errors', Dimensions: of(detector.recorderFunction), ...FIRST_OCCURRENCE });
    expect(InputsMissing).toMatchObject({ Namespace: 'GithubRunnerJanitor', MetricName: 'ExecutionInputsMissing', ...FIRST_OCCURRENCE });
    expect(WebhookFailed).toMatchObject({
      Namespace: 'AWS/Lambda', MetricName: 'Url5xxCount', Statistic: 'Sum', Dimensions: of(detector.webhookFunction), ...FIRST_OCCURRENCE,
    });
  });

  test('can be told from the construct', () => {
    const { detector } = detectorStack();
    const alarms = detector.createAlarms();
    added(detector);
    expect([alarms.recorderFailed, alarms.inputsMissing, alarms.webhookFailed].map((alarm) => alarm!.node.id)).toEqual(names);
  });
});

test('all of them do what they are given to do, also those that are made later', () => {
  const { stack, detector } = detectorStack();
  const topic = new sns.Topic(stack, 'Topic');
  detector.createAlarms({ actions: [new actions.SnsAction(topic)] });
  detector.recordExecutions();
  for (const { AlarmActions } of Object.values(alarmsOf(stack))) expect(AlarmActions).toEqual([stack.resolve(topic.topicArn)]);
  expect(() => detector.createAlarms()).toThrow(/already a Construct with name 'Alarms'/);
});

describe('metrics', () => {
  const { stack, detector } = detectorStack();

  test.each([
    ['StolenByOutsider', detector.metricStolenByOutsider()],
    ['Replaced', detector.metricReplaced()],
    ['GaveUp', detector.metricGaveUp()],
    ['CapReached', detector.metricCapReached()],
    ['ReportExpired', detector.metricReportExpired()],
    ['CredentialTrouble', detector.metricCredentialTrouble()],
  ])('%s is what the functions emit, under the dimension they emit it with', (name, metric) => {
    expect(metric).toMatchObject({
      namespace: 'GithubRunnerJanitor', metricName: name, dimensions: { service: 'Runners/Detector' }, statistic: 'Sum', account: stack.account, region: stack.region,
    });
  });

  test('every name the functions emit can be asked for, and no other', () => {
    for (const name of Object.values(DETECTOR_METRICS)) expect(detector.metric(name).metricName).toBe(name);
    expect(() => detector.metric('Stolen')).toThrow(/^'metricName' must be one of StolenByOutsider, .*, got 'Stolen'$/);
  });

  test("the caller's options win", () => {
    expect(detector.metricReplaced({ statistic: 'Maximum', period: Duration.hours(1) })).toMatchObject({ statistic: 'Maximum', period: Duration.hours(1) });
  });
});
