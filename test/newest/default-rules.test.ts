import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { version } from 'aws-cdk-lib/package.json';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json';
import { devDependencies } from '../../package.json';
import { detectorStack } from '../support/detector-synth';
import { janitorStack } from '../support/synth';

/** CDK validates the templates in-process, and findings are errors. */
const VALIDATED = { '@aws-cdk/core:validateAgainstDefaultRules': true };

test('these tests run with an aws-cdk-lib that is newer than the floor', () => {
  expect(version.localeCompare(devDependencies['aws-cdk-lib'], 'en', { numeric: true })).toBe(1);
});

describe.each([['without other feature flags', VALIDATED], ['with all recommended feature flags', { ...recommendedFlags, ...VALIDATED }]])('%s', (_, context) => {
  test('the validation refuses a template that CloudFormation would refuse', () => {
    const app = new App({ context });
    new CfnResource(new Stack(app, 'Wrong'), 'Queue', { type: 'AWS::SQS::Queue', properties: { DelaySeconds: 'soon' } });
    expect(() => app.synth()).toThrow(/DelaySeconds/);
  });

  test('a janitor with everything that can be added to it is valid', () => {
    const { app, janitor } = janitorStack({}, new App({ context }));
    janitor.nominateOnTermination({ machineTags: { fleet: 'runners' } });
    janitor.createAlarms();
    janitor.createDashboard();
    expect(() => app.synth()).not.toThrow();
  });

  test('a detector with everything that can be added to it is valid', () => {
    const { app, stack, detector } = detectorStack({}, new App({ context }));
    detector.recordExecutions();
    detector.addWebhook({ secret: new Secret(stack, 'Hook') });
    detector.createAlarms();
    expect(() => app.synth()).not.toThrow();
  });
});
