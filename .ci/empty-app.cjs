// what somebody would write who has just installed the package; run by try-package
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { App, Stack, aws_secretsmanager: secretsmanager } = require('aws-cdk-lib');
const { ComputeProvider, GitHubCredentials, RegistrationJanitor, RunnerScope } = require('cdk-github-runner-janitor');

const app = new App();
const stack = new Stack(app, 'Empty');
new RegistrationJanitor(stack, 'Janitor', {
  runnerScope: RunnerScope.organization('acme'),
  computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: ['gh-'], regions: ['eu-central-1'] }),
  credentials: GitHubCredentials.app(secretsmanager.Secret.fromSecretNameV2(stack, 'App', 'github-app')),
});

const assembly = app.synth();
const { template } = assembly.getStackArtifact('Empty');
const { files } = assembly.artifacts.find(({ id }) => id === 'Empty.assets').contents;
const functions = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
const zipped = Object.values(files).filter(({ source }) => source.packaging === 'zip');
const bundles = zipped.map(({ source }) => join(assembly.directory, source.path, 'index.js'));
if (functions.length < 2 || bundles.length < 2 || !bundles.every(existsSync)) {
  throw new Error(`expected two functions with their bundles, got ${functions.length} functions and ${bundles.length} bundles`);
}
console.log(`the packed library synthesises: ${Object.keys(template.Resources).length} resources, ${bundles.length} bundles`);
