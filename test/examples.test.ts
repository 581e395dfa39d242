import { execFileSync } from 'child_process';
import { mkdtempSync, readFileSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import * as path from 'path';
import { App } from 'aws-cdk-lib';
import { environmentOf, resourcesOf, templateOf } from './support/synth';
import { templateProblems } from './support/template-problems';
import { JanitorOnEc2 } from '../examples/typescript/janitor-on-ec2/janitor-on-ec2';

const EXAMPLE = path.join(__dirname, '..', 'examples', 'typescript', 'janitor-on-ec2');

/** Runs the app as the CDK command line does: by the command in its cdk.json, with the context in the environment. */
function synthesise(context: Record<string, string>) {
  const outdir = mkdtempSync(path.join(tmpdir(), 'example-'));
  try {
    const { app } = JSON.parse(readFileSync(path.join(EXAMPLE, 'cdk.json'), 'utf8'));
    const [command, ...args] = app.split(' ');
    execFileSync(command, args, { cwd: EXAMPLE, env: { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(context) } });
    return JSON.parse(readFileSync(path.join(outdir, 'JanitorOnEc2.template.json'), 'utf8'));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

test('the smallest example is a valid template of at most 25 resources and 900 lines', () => {
  const template = templateOf(new JanitorOnEc2(new App(), 'JanitorOnEc2'));
  expect(templateProblems(template)).toEqual([]);
  expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(25);
  expect(JSON.stringify(template, null, 2).split('\n').length).toBeLessThanOrEqual(900);
});

test.each([
  [{}, 'true'],
  [{ armed: 'true' }, 'false'],
])('the example synthesises by its own command with the context %j, and DRY_RUN is then %s', (context, dryRun) => {
  const template = synthesise(context);
  expect(Object.keys(resourcesOf(template, 'AWS::Lambda::Function'))).toHaveLength(2);
  expect(environmentOf(template).DRY_RUN).toBe(dryRun);
}, 120_000);
