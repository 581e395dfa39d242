import { Annotations as CoreAnnotations, App, CfnParameter, Lazy, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type { StolenRunnerDetectorProps } from '../src';
import { detectorIn, detectorStack, ENV } from './support/detector-synth';
import { ACCOUNT, environmentOf, templateOf } from './support/synth';
import { templateProblems } from './support/template-problems';

const synth = (props: Partial<StolenRunnerDetectorProps>) => () => detectorStack(props);

describe('a value out of range is an error that names the property, what is allowed, and the value', () => {
  test.each<[string, Partial<StolenRunnerDetectorProps>, string]>([
    ['no replacement', { maxReplacements: 0 }, "'maxReplacements' must be an integer from 1 to 9, got 0"],
    ['half a replacement', { maxReplacements: 1.5 }, "'maxReplacements' must be an integer from 1 to 9, got 1.5"],
    ['two digits', { maxReplacements: 10 }, "'maxReplacements' must be an integer from 1 to 9, got 10"],
    ['none an hour', { maxReplacementsPerHour: 0 }, "'maxReplacementsPerHour' must be an integer from 1 to 1000, got 0"],
    ['too many an hour', { maxReplacementsPerHour: 1001 }, "'maxReplacementsPerHour' must be an integer from 1 to 1000, got 1001"],
    ['no number', { maxReplacementsPerHour: NaN }, "'maxReplacementsPerHour' must be an integer from 1 to 1000, got NaN"],
  ])('%s', (_, props, message) => {
    expect(synth(props)).toThrow(new Error(message));
  });

  test('a host without https', () => {
    expect(synth({ githubUrl: 'http://ghe.example' })).toThrow(/^'githubUrl' must be the https URL of a GitHub host .*, got 'http:\/\/ghe.example'$/);
  });
});

describe('a log group', () => {
  const EXPLAINED = "a log group of runners, not the detector's own, whose lines would come back to it for ever";

  test("that is the detector's own is an error", () => {
    const { detector } = detectorStack();
    expect(() => detector.watchLogGroup(detector.logGroup)).toThrow(new Error(`'logGroup' must be ${EXPLAINED}, got Runners/Detector/Logs`));
  });

  test('that the functions are to log to is an error, also under another import', () => {
    const stack = new Stack(new App(), 'Runners', { env: ENV });
    const logGroup = logs.LogGroup.fromLogGroupName(stack, 'Own', 'shared');
    const runnerLogGroups = [new logs.LogGroup(stack, 'Fine'), logs.LogGroup.fromLogGroupName(stack, 'Again', 'shared')];
    expect(() => detectorIn(stack, { logGroup, runnerLogGroups })).toThrow(new Error(`'runnerLogGroups[1]' must be ${EXPLAINED}, got Runners/Again`));
  });

  test.each([
    ['another account', 'arn:aws:logs:us-east-1:222222222222:log-group:runners', 'account 222222222222 and region us-east-1'],
    ['another region', `arn:aws:logs:eu-west-1:${ACCOUNT}:log-group:runners`, `account ${ACCOUNT} and region eu-west-1`],
  ])('of %s is an error, because CloudWatch would refuse the filter', (_, arn, place) => {
    const { stack, detector } = detectorStack();
    expect(() => detector.watchLogGroup(logs.LogGroup.fromLogGroupArn(stack, 'Far', arn))).toThrow(new Error(
      `'logGroup' must be a log group of account ${ACCOUNT} and region us-east-1, where Runners/Detector is, got Runners/Far of ${place}`,
    ));
  });
});

test('the secret of a webhook in another region is an error, because the function asks only in its own', () => {
  const { stack, detector } = detectorStack();
  const secret = secretsmanager.Secret.fromSecretCompleteArn(stack, 'Far', `arn:aws:secretsmanager:eu-west-1:${ACCOUNT}:secret:hook-AbCdEf`);
  expect(() => detector.addWebhook({ secret })).toThrow(
    new Error("'secret' must be a secret of region us-east-1, where Runners is, got Runners/Far of region eu-west-1"),
  );
});

test.each(['OBSERVE_ONLY', 'STATE_MACHINE_ARN', 'RUNNER_TRACKER_TABLE', 'JOB_ASSIGNMENT_QUEUE_URL', 'GITHUB_APP', 'RECORDS_EXECUTIONS', 'GITHUB_URL'])(
  'the environment cannot replace %s, which the construct sets', (name) => {
    expect(synth({ environment: { [name]: 'x' } })).toThrow(
      new Error(`'environment' must be free of variables that the construct itself sets, got ${name}`),
    );
  },
);

describe('tokens', () => {
  test('reach the judge wherever a single value may be one', () => {
    const { stack } = detectorStack({
      githubUrl: Lazy.string({ produce: () => 'https://ghe.example' }),
      maxReplacements: Lazy.number({ produce: () => 2 }),
      maxReplacementsPerHour: Lazy.number({ produce: () => 7 }),
    });
    const template = templateOf(stack);
    expect(templateProblems(template)).toEqual([]);
    expect(environmentOf(template, 'Judge')).toMatchObject({ GITHUB_URL: 'https://ghe.example', MAX_REPLACEMENTS: '2', MAX_REPLACEMENTS_PER_HOUR: '7' });
  });

  test('that only the deployment knows become references', () => {
    const stack = new Stack(new App(), 'Anywhere');
    const parameter = (name: string, type = 'String') => new CfnParameter(stack, name, { type });
    const { detector } = detectorIn(stack, {
      githubUrl: parameter('Host').valueAsString,
      maxReplacements: parameter('Most', 'Number').valueAsNumber,
      runnerLogGroups: [logs.LogGroup.fromLogGroupName(stack, 'Named', parameter('Group').valueAsString)],
    });
    detector.addWebhook({ secret: secretsmanager.Secret.fromSecretCompleteArn(stack, 'Hook', parameter('HookArn').valueAsString) });
    const template = templateOf(stack);
    expect(templateProblems(template)).toEqual([]);
    expect(environmentOf(template, 'Judge')).toMatchObject({ GITHUB_URL: { Ref: 'Host' }, MAX_REPLACEMENTS: { Ref: 'Most' } });
    expect(environmentOf(template, 'DetectorWebhook').WEBHOOK_SECRET_ARN).toEqual({ Ref: 'HookArn' });
  });
});

describe('a detector that can detect nothing', () => {
  const warningsOf = (stack: Stack) => Annotations.fromStack(stack).findWarning('*', Match.anyValue())
    .map(({ entry }) => /StolenRunnerDetector\.(\w+)\]$/.exec(entry.data as string)?.[1]);

  test('because nobody records jobs is a warning: every swap would look like a theft', () => {
    const { stack } = detectorStack();
    expect(warningsOf(stack)).toEqual(['nothingRecords']);
  });

  test('because nobody reports pick-ups is a warning', () => {
    const { stack, detector } = detectorStack({ runnerLogGroups: [] });
    detector.recordExecutions();
    expect(warningsOf(stack)).toEqual(['nothingReports']);
  });

  test('is none once somebody records and somebody reports, in whatever order that is written down', () => {
    const { stack, detector } = detectorStack({ runnerLogGroups: undefined });
    detector.addWebhook({ secret: new secretsmanager.Secret(stack, 'Hook') });
    detector.recordExecutions();
    expect(warningsOf(stack)).toEqual([]);
    expect(Annotations.fromStack(stack).findError('*', Match.anyValue())).toEqual([]);
  });

  test('can be said to be attached from outside of the app', () => {
    const { stack, detector } = detectorStack({ runnerLogGroups: [] });
    for (const reason of ['nothingRecords', 'nothingReports']) {
      CoreAnnotations.of(detector).acknowledgeWarning(`cdk-github-runner-janitor:StolenRunnerDetector.${reason}`, 'done by hand');
    }
    expect(warningsOf(stack)).toEqual([]);
  });
});
