import { App, Aws, Stack } from 'aws-cdk-lib';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { GitHubCredentials } from '../src';
import { ACCOUNT, environmentOf, janitorIn, statementsOf, templateOf } from './support/synth';
import { templateProblems } from './support/template-problems';

/** What a janitor with these credentials is told, and what it may read; both functions get the same. */
function synthesised(make: (stack: Stack) => GitHubCredentials) {
  const stack = new Stack(new App(), 'Runners', { env: { account: ACCOUNT, region: 'us-east-1' } });
  janitorIn(stack, { credentials: make(stack) });
  const template = templateOf(stack);
  expect(templateProblems(template)).toEqual([]);
  const reading = (role: string) => statementsOf(template, role).filter(({ Action }) => /^(secretsmanager|ssm|kms):/.test([Action].flat()[0]!));
  expect(reading('ConfirmationRole')).toEqual(reading('DiscoveryRole'));
  const variables = environmentOf(template);
  return { variables, config: JSON.parse(variables.GITHUB_CREDENTIALS), statements: reading('DiscoveryRole') };
}

const allow = (action: string, resource: unknown) => ({ Effect: 'Allow', Action: action, Resource: resource });

test('one App is one secret, known by its ARN', () => {
  const { variables, config, statements } = synthesised((stack) => GitHubCredentials.app(new secretsmanager.Secret(stack, 'Key')));
  expect(config).toEqual({ kind: 'apps', secrets: ['GITHUB_APP'] });
  expect(variables.GITHUB_APP).toEqual({ Ref: 'Key961B73FD' });
  expect(statements).toEqual([allow('secretsmanager:GetSecretValue', { Ref: 'Key961B73FD' })]);
});

test('several Apps are several secrets, in the given order', () => {
  const { variables, config, statements } = synthesised((stack) => GitHubCredentials.apps(
    new secretsmanager.Secret(stack, 'One'),
    new secretsmanager.Secret(stack, 'Two'),
  ));
  expect(config).toEqual({ kind: 'apps', secrets: ['GITHUB_APP_1', 'GITHUB_APP_2'] });
  expect([variables.GITHUB_APP_1, variables.GITHUB_APP_2]).toEqual([{ Ref: 'One8A44B909' }, { Ref: 'Two20CDA8F5' }]);
  expect(statements.flatMap(({ Resource }) => Resource)).toEqual([{ Ref: 'One8A44B909' }, { Ref: 'Two20CDA8F5' }]);
});

test('a token is one secret', () => {
  const { config, variables } = synthesised((stack) => GitHubCredentials.token(new secretsmanager.Secret(stack, 'Key')));
  expect(config).toEqual({ kind: 'token', secret: 'GITHUB_TOKEN' });
  expect(variables.GITHUB_TOKEN).toEqual({ Ref: 'Key961B73FD' });
});

test('the secrets of cdk-github-runners name the host as well, so none is set', () => {
  const { config, variables, statements } = synthesised((stack) => GitHubCredentials.cdkGithubRunners(
    new secretsmanager.Secret(stack, 'One'),
    new secretsmanager.Secret(stack, 'Two'),
  ));
  expect(config).toEqual({ kind: 'cdkGithubRunners', secret: 'GITHUB_SECRET', privateKey: 'GITHUB_PRIVATE_KEY' });
  expect(variables).not.toHaveProperty('GITHUB_URL');
  expect(variables).toMatchObject({ GITHUB_SECRET: { Ref: 'One8A44B909' }, GITHUB_PRIVATE_KEY: { Ref: 'Two20CDA8F5' } });
  expect(statements).toHaveLength(2);
});

test('a host that is given wins over the one in the secrets of cdk-github-runners', () => {
  const stack = new Stack();
  const secret = new secretsmanager.Secret(stack, 'Key');
  janitorIn(stack, { credentials: GitHubCredentials.cdkGithubRunners(secret, secret), githubUrl: 'https://ghe.example' });
  expect(environmentOf(templateOf(stack)).GITHUB_URL).toBe('https://ghe.example');
});

test('a secret that was imported by its name is readable with the six characters that Secrets Manager appends', () => {
  const { statements } = synthesised((stack) => GitHubCredentials.app(secretsmanager.Secret.fromSecretNameV2(stack, 'Key', 'runners/app')));
  expect(statements).toEqual([allow('secretsmanager:GetSecretValue', {
    'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:secretsmanager:us-east-1:${ACCOUNT}:secret:runners/app-??????`]],
  })]);
});

test('a secret that was imported by its whole ARN is readable by that ARN', () => {
  const arn = `arn:aws:secretsmanager:us-east-1:${ACCOUNT}:secret:runners/app-AbCdEf`;
  const { statements, variables } = synthesised((stack) => GitHubCredentials.app(secretsmanager.Secret.fromSecretCompleteArn(stack, 'Key', arn)));
  expect(statements).toEqual([allow('secretsmanager:GetSecretValue', arn)]);
  expect(variables.GITHUB_APP).toBe(arn);
});

test('the key of a secret may be used for decrypting, through Secrets Manager only', () => {
  const { statements } = synthesised((stack) => {
    const encryptionKey = kms.Key.fromKeyArn(stack, 'Cmk', `arn:aws:kms:us-east-1:${ACCOUNT}:key/1`);
    return GitHubCredentials.app(new secretsmanager.Secret(stack, 'Key', { encryptionKey }));
  });
  expect(statements).toContainEqual({
    ...allow('kms:Decrypt', `arn:aws:kms:us-east-1:${ACCOUNT}:key/1`),
    Condition: { StringEquals: { 'kms:ViaService': 'secretsmanager.us-east-1.amazonaws.com' } },
  });
});

describe('an SSM manifest', () => {
  const manifest = (stack: Stack) => ssm.StringParameter.fromStringParameterName(stack, 'Manifest', '/runners/apps');
  const parameter = (name: string) => ({ 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:ssm:us-east-1:${ACCOUNT}:parameter/runners/${name}`]] });

  test('is readable together with the parameters below its path', () => {
    const { config, variables, statements } = synthesised((stack) => GitHubCredentials.ssmManifest(manifest(stack), { parameterPath: '/runners/app' }));
    expect(config).toEqual({ kind: 'ssmManifest', parameter: 'GITHUB_APPS_MANIFEST' });
    expect(variables.GITHUB_APPS_MANIFEST).toBe('/runners/apps');
    expect(statements).toEqual([allow('ssm:GetParameter', [parameter('apps'), parameter('app/*')])]);
  });

  test('brings the permission for a key of its own', () => {
    const { statements } = synthesised((stack) => GitHubCredentials.ssmManifest(manifest(stack), {
      parameterPath: '/runners/app', encryptionKey: kms.Key.fromKeyArn(stack, 'Cmk', `arn:aws:kms:us-east-1:${ACCOUNT}:key/1`),
    }));
    expect(statements).toContainEqual({
      ...allow('kms:Decrypt', `arn:aws:kms:us-east-1:${ACCOUNT}:key/1`),
      Condition: { StringEquals: { 'kms:ViaService': 'ssm.us-east-1.amazonaws.com' } },
    });
  });

  test('may have a path that only the deployment knows', () => {
    const { statements } = synthesised((stack) => GitHubCredentials.ssmManifest(manifest(stack), { parameterPath: `/${Aws.STACK_NAME}/app` }));
    expect(JSON.stringify(statements)).toContain(':parameter/",{"Ref":"AWS::StackName"},"/app/*"');
  });

  test.each(['/', 'runners', '/runners/', '/runners/*', '', '//'])('with the path "%s" is an error, because that would grant too much or nothing', (parameterPath) => {
    expect(() => GitHubCredentials.ssmManifest(manifest(new Stack()), { parameterPath }))
      .toThrow(new Error(`'parameterPath' must be a parameter path like /github-runners/app, got '${parameterPath}'`));
  });
});

test('no App at all is an error', () => {
  expect(() => GitHubCredentials.apps()).toThrow(new Error("'secrets' must be a list of at least one item, got none"));
});

test('the same App twice is an error', () => {
  const secret = new secretsmanager.Secret(new Stack(), 'Key');
  expect(() => GitHubCredentials.apps(secret, secret)).toThrow(/^'secrets\[1\]' must be listed once, got /);
});

test('nothing secret stands in the template: it holds names and ARNs only', () => {
  const { variables } = synthesised((stack) => GitHubCredentials.app(new secretsmanager.Secret(stack, 'Key')));
  expect(JSON.stringify(variables)).not.toContain('resolve:secretsmanager');
});

describe('what is in another region than the functions, which ask only in their own,', () => {
  const arn = (region: string) => `arn:aws:secretsmanager:${region}:${ACCOUNT}:secret:runners/app-AbCdEf`;
  const secret = (stack: Stack, region: string, id = 'Key') => secretsmanager.Secret.fromSecretCompleteArn(stack, id, arn(region));

  test.each<[string, (stack: Stack) => GitHubCredentials, string]>([
    ['one App', (stack) => GitHubCredentials.app(secret(stack, 'eu-west-1')), 'secret'],
    ['the second of two Apps', (stack) => GitHubCredentials.apps(secret(stack, 'us-east-1', 'Near'), secret(stack, 'eu-west-1')), 'secrets[1]'],
    ['a token', (stack) => GitHubCredentials.token(secret(stack, 'eu-west-1')), 'secret'],
    ['the private key', (stack) => GitHubCredentials.cdkGithubRunners(secret(stack, 'us-east-1', 'Near'), secret(stack, 'eu-west-1')), 'privateKeySecret'],
    ['the secret with the host', (stack) => GitHubCredentials.cdkGithubRunners(secret(stack, 'eu-west-1'), secret(stack, 'us-east-1', 'Near')), 'githubSecret'],
  ])('%s, is an error', (_, make, property) => {
    expect(() => synthesised(make)).toThrow(
      new Error(`'${property}' must be a secret of region us-east-1, where Runners is, got Runners/Key of region eu-west-1`),
    );
  });

  test('a manifest, is an error', () => {
    const far = new Stack(new App(), 'Far', { env: { account: ACCOUNT, region: 'eu-west-1' } });
    const manifest = ssm.StringParameter.fromStringParameterName(far, 'Manifest', '/runners/apps');
    expect(() => synthesised(() => GitHubCredentials.ssmManifest(manifest, { parameterPath: '/runners/app' }))).toThrow(
      new Error("'manifest' must be a parameter of region us-east-1, where Runners is, got Far/Manifest of region eu-west-1"),
    );
  });

  test('is fine while only the deployment knows either region', () => {
    expect(() => synthesised((stack) => GitHubCredentials.app(secret(stack, Aws.REGION)))).not.toThrow();
    const stack = new Stack(new App(), 'Anywhere');
    expect(() => janitorIn(stack, { credentials: GitHubCredentials.app(secret(stack, 'eu-west-1')) })).not.toThrow();
  });

  test('is fine in another account, which may have let the functions in', () => {
    expect(() => synthesised((stack) => GitHubCredentials.app(
      secretsmanager.Secret.fromSecretCompleteArn(stack, 'Key', 'arn:aws:secretsmanager:us-east-1:222222222222:secret:runners/app-AbCdEf'),
    ))).not.toThrow();
  });
});
