import { Aws, CfnParameter, Duration, Fn, Lazy, Stack } from 'aws-cdk-lib';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { environmentOf, janitorIn, janitorStack, resourceOf, statementsOf, templateOf } from './support/synth';
import { templateProblems } from './support/template-problems';
import { apiUrl } from '../lambda-src/github/hosts';
import type { RegistrationJanitorProps } from '../src';
import { ComputeProvider, GitHubCredentials, RunnerGroup, RunnerScope } from '../src';

const synth = (props: Partial<RegistrationJanitorProps>) => () => janitorStack(props);

describe('a value out of range is an error that names the property, what is allowed, and the value', () => {
  test.each<[string, Partial<RegistrationJanitorProps>, string]>([
    ['no candidates', { candidatesPerRun: 0 }, "'candidatesPerRun' must be an integer from 1 to 1000, got 0"],
    ['half a candidate', { candidatesPerRun: 1.5 }, "'candidatesPerRun' must be an integer from 1 to 1000, got 1.5"],
    ['too many candidates', { candidatesPerRun: 1001 }, "'candidatesPerRun' must be an integer from 1 to 1000, got 1001"],
    ['no number', { candidatesPerRun: NaN }, "'candidatesPerRun' must be an integer from 1 to 1000, got NaN"],
    ['a negative reserve', { quotaReserve: -0.1 }, "'quotaReserve' must be a number from 0 to 0.9, got -0.1"],
    ['a reserve in per cent', { quotaReserve: 20 }, "'quotaReserve' must be a number from 0 to 0.9, got 20"],
    ['an endless reserve', { quotaReserve: Infinity }, "'quotaReserve' must be a number from 0 to 0.9, got Infinity"],
    ['an interval of 30 seconds', { interval: Duration.seconds(30) }, "'interval' must be whole minutes from 20 minutes to 24 hours, got 30 seconds"],
    ['an interval of 19 minutes', { interval: Duration.minutes(19) }, "'interval' must be whole minutes from 20 minutes to 24 hours, got 19 minutes"],
    ['an interval of two days', { interval: Duration.days(2) }, "'interval' must be whole minutes from 20 minutes to 24 hours, got 2 days"],
    ['a broken minute', { interval: Duration.seconds(1230) }, "'interval' must be whole minutes from 20 minutes to 24 hours, got 20 minutes 30 seconds"],
    ['a blank label', { protectedLabels: ['keep', ' '] }, "'protectedLabels[1]' must be more than blanks, got ' '"],
    ['a label in two cases', { protectedLabels: ['Keep', 'keep'] }, "'protectedLabels[1]' must be listed once, got 'keep'"],
    ['a runner twice', { acknowledgedForeignRunners: ['gh-i-0123abcd', 'gh-i-0123abcd'] }, "'acknowledgedForeignRunners[1]' must be listed once, got 'gh-i-0123abcd'"],
  ])('%s', (_, props, message) => {
    expect(synth(props)).toThrow(new Error(message));
  });

  const URL_RULE = "'githubUrl' must be the https URL of a GitHub host like https://github.com or https://github.example.com, without path, query or login, got ";
  test.each([
    ['http://github.com', "'http://github.com'"],
    ['github.com', "'github.com'"],
    ['', "''"],
    ['https://github.com/acme', "'https://github.com/acme'"],
    ['https://github.com/api/v3', "'https://github.com/api/v3'"],
    ['https://ghe.example/?a=b', "'https://ghe.example/?a=b'"],
    ['https://user:secret@ghe.example', 'a URL with a login'],
  ])('the host %s', (githubUrl, got) => {
    expect(synth({ githubUrl })).toThrow(new Error(URL_RULE + got));
  });
});

test.each([
  'https://github.com', 'https://github.com/', 'https://api.github.com', 'https://acme.ghe.com', 'https://api.acme.ghe.com/',
  'https://ghe.example', 'https://ghe.example/', 'https://ghe.example/api/v3', 'https://ghe.example:8443/api/v3/',
])('the host %s is accepted at synth and by the functions alike', (githubUrl) => {
  expect(environmentOf(templateOf(janitorStack({ githubUrl }).stack)).GITHUB_URL).toBe(githubUrl);
  expect(apiUrl(githubUrl)).toMatch(/^https:/);
});

describe('an enterprise', () => {
  const runnerScope = RunnerScope.enterprise('acme');
  const secrets = new Stack();
  const secret = new secretsmanager.Secret(secrets, 'Secret');

  test('with an App is an error, because GitHub accepts none there', () => {
    expect(synth({ runnerScope })).toThrow(new Error(
      "'credentials' must be GitHubCredentials.token(...) for an enterprise, where GitHub accepts no Apps, got credentials of kind apps",
    ));
  });

  test('with a manifest of Apps is an error too', () => {
    const manifest = ssm.StringParameter.fromStringParameterName(secrets, 'Manifest', '/runners/apps');
    expect(synth({ runnerScope, credentials: GitHubCredentials.ssmManifest(manifest, { parameterPath: '/runners/app' }) })).toThrow(new Error(
      "'credentials' must be GitHubCredentials.token(...) for an enterprise, where GitHub accepts no Apps, got credentials of kind ssmManifest",
    ));
  });

  test('with a token is fine', () => {
    const { stack } = janitorStack({ runnerScope, credentials: GitHubCredentials.token(secretsmanager.Secret.fromSecretNameV2(secrets, 'Token', 'token')) });
    expect(JSON.parse(environmentOf(templateOf(stack)).GITHUB_SCOPE)).toEqual({ kind: 'enterprise', owner: 'acme' });
  });

  test('with the secrets of cdk-github-runners is left to the run, because they may hold a token', () => {
    expect(synth({ runnerScope, credentials: GitHubCredentials.cdkGithubRunners(secret, secret) })).not.toThrow();
  });
});

describe('the environment', () => {
  test.each(['DRY_RUN', 'GITHUB_APP', 'POWERTOOLS_SERVICE_NAME', 'CONFIRMATION_QUEUE_URL', 'NOMINATION_TAGS', 'CANDIDATE_SENDER'])('cannot replace %s, which the construct sets', (name) => {
    expect(synth({ environment: { [name]: 'x' } })).toThrow(
      new Error(`'environment' must be free of variables that the construct itself sets, got ${name}`),
    );
  });

  test('that is larger than Lambda takes is an error at synth and names what fills it', () => {
    const names = Array.from({ length: 100 }, (_, index) => `a-repository-with-a-long-name-that-fills-the-environment-${index}`);
    expect(synth({ runnerScope: RunnerScope.repositories('acme', names) }))
      .toThrow(/must not exceed Lambda's 4096 bytes, got at least \d+, of which GITHUB_SCOPE takes \d+/);
  });
});

describe('tokens', () => {
  test('reach the functions wherever a single value may be one', () => {
    const text = (name: string) => Lazy.string({ produce: () => `${name}-value` });
    const { stack } = janitorStack({
      runnerScope: RunnerScope.organization(text('owner'), {
        runnerGroups: [RunnerGroup.named(text('group')), RunnerGroup.withId(Lazy.number({ produce: () => 7 }))],
      }),
      computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: [text('prefix')], regions: [text('region')] }),
      githubUrl: text('host'),
      candidatesPerRun: Lazy.number({ produce: () => 5 }),
      quotaReserve: Lazy.number({ produce: () => 0.5 }),
      protectedLabels: [text('label')],
      acknowledgedForeignRunners: [text('runner')],
    });
    const template = templateOf(stack);
    expect(templateProblems(template)).toEqual([]);
    const variables = environmentOf(template);
    expect(JSON.parse(variables.GITHUB_SCOPE)).toEqual({ kind: 'organization', owner: 'owner-value', groups: { names: ['group-value'], ids: [7] } });
    expect(JSON.parse(variables.COMPUTE_PROVIDER)).toEqual({ kind: 'ec2', runnerNamePrefixes: ['prefix-value'], regions: ['region-value'] });
    expect(variables).toMatchObject({ GITHUB_URL: 'host-value', CANDIDATES_PER_RUN: '5', QUOTA_RESERVE: '0.5' });
    expect(JSON.parse(variables.PROTECTED_LABELS)).toEqual(['label-value']);
    expect(JSON.parse(variables.ACKNOWLEDGED_FOREIGN_RUNNERS)).toEqual(['runner-value']);
    expect(statementsOf(template, 'DiscoveryRole').at(-1)!.Condition).toEqual({ StringEquals: { 'aws:RequestedRegion': ['region-value'] } });
  });

  test('that only the deployment knows become references', () => {
    const stack = new Stack();
    const parameter = (name: string, type = 'String') => new CfnParameter(stack, name, { type });
    janitorIn(stack, {
      runnerScope: RunnerScope.organization(parameter('Owner').valueAsString, { runnerGroups: [RunnerGroup.withId(parameter('Group', 'Number').valueAsNumber)] }),
      computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: [parameter('Prefix').valueAsString], regions: [Aws.REGION] }),
      githubUrl: parameter('Host').valueAsString,
      candidatesPerRun: parameter('Candidates', 'Number').valueAsNumber,
      interval: Duration.minutes(parameter('Minutes', 'Number').valueAsNumber),
    });
    const inside = templateOf(stack);
    expect(templateProblems(inside)).toEqual([]);
    const variables = environmentOf(inside);
    expect(variables.GITHUB_URL).toEqual({ Ref: 'Host' });
    expect(variables.CANDIDATES_PER_RUN).toEqual({ Ref: 'Candidates' });
    expect(variables.SCHEDULE).toEqual({ 'Fn::Join': ['', ['rate(', { Ref: 'Minutes' }, ' minutes)']] });
    expect(resourceOf(inside, 'AWS::Events::Rule').Properties.ScheduleExpression).toEqual(variables.SCHEDULE);
    // the id of a group is a number in the JSON, not a text
    expect(variables.GITHUB_SCOPE).toEqual({
      'Fn::Join': ['', ['{"kind":"organization","owner":"', { Ref: 'Owner' }, '","groups":{"names":[],"ids":[', { Ref: 'Group' }, ']}}']],
    });
    expect(variables.COMPUTE_PROVIDER).toEqual({
      'Fn::Join': ['', ['{"kind":"ec2","runnerNamePrefixes":["', { Ref: 'Prefix' }, '"],"regions":["', { Ref: 'AWS::Region' }, '"]}']],
    });
    expect(statementsOf(inside, 'DiscoveryRole').at(-1)!.Condition).toEqual({ StringEquals: { 'aws:RequestedRegion': [{ Ref: 'AWS::Region' }] } });
  });

  test.each<[string, () => unknown]>([
    ['regions', () => ComputeProvider.ec2({ runnerNamePrefixes: ['gh-'], regions: Fn.split(',', Aws.STACK_NAME) })],
    ['runnerNamePrefixes', () => ComputeProvider.ec2({ runnerNamePrefixes: Lazy.list({ produce: () => ['gh-'] }), regions: ['us-east-1'] })],
    ['repositories', () => RunnerScope.repositories('acme', Fn.split(',', Aws.STACK_NAME))],
    ['protectedLabels', synth({ protectedLabels: Fn.split(',', Aws.STACK_NAME) })],
  ])('cannot stand for the whole list %s, and the error says so', (property, make) => {
    expect(make).toThrow(new Error(`'${property}' must be written out item by item (an item may be a token), got a list that is one token`));
  });

  test('can be an interval only in minutes, because EventBridge tells "1 hour" from "2 hours"', () => {
    expect(synth({ interval: Duration.hours(Lazy.number({ produce: () => 1 })) })).toThrow(new Error(
      "'interval' must be whole minutes from 20 minutes to 24 hours, as Duration.minutes(...) if it is a token, got a token in hours",
    ));
  });
});
