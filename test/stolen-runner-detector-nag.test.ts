import { Aspects } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { AwsSolutionsChecks } from 'cdk-nag';
import { detectorStack } from './support/detector-synth';

/** Every finding of cdk-nag about the detector, and why it stands. The list is exact: a new finding fails, and so does one that has gone. */
const EXPECTED = {
  '/Runners/Detector/JudgeRole/DefaultPolicy/Resource AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:us-east-1:111111111111:execution:<Machine6FC8AE80.Name>:*]':
    'executions of the one state machine, whose names are those of its runners',
  '/Runners/Detector/ReportQueue/Resource AwsSolutions-SQS3': 'a report lives for an hour: what could not be judged by then is counted, and nobody misses it',
};

test('cdk-nag finds exactly what is known and explained', () => {
  const { stack, detector } = detectorStack();
  detector.recordExecutions();
  detector.addWebhook({ secret: new secretsmanager.Secret(stack, 'Hook') });
  Aspects.of(stack).add(new AwsSolutionsChecks());
  const annotations = Annotations.fromStack(stack);
  const anything = Match.stringLikeRegexp('.*');
  const found = [...annotations.findError('*', anything), ...annotations.findWarning('*', anything)]
    .filter(({ id }) => id.startsWith('/Runners/Detector/'))
    .map(({ id, entry }) => `${id} ${/^[\w-]+(\[.*?\])?/.exec(entry.data as string)![0]}`);
  expect(found.sort()).toEqual(Object.keys(EXPECTED).sort());
});
