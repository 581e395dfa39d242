import { execFileSync } from 'child_process';
import { mkdtempSync, readFileSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import * as path from 'path';
import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { ENV, permissionsOf } from './support/detector-synth';
import { environmentOf, resourcesOf, templateOf } from './support/synth';
import { templateProblems } from './support/template-problems';
import { RunnerStack } from '../examples/typescript/beside-cdk-github-runners/runner-stack';
import { watchOver } from '../examples/typescript/beside-cdk-github-runners/watch-over';
import { StolenRunners } from '../examples/typescript/stolen-runners/stolen-runners';

type Json = Record<string, any>;

const EXAMPLES = path.join(__dirname, '..', 'examples', 'typescript');
const ADDED = /^(Detector|Janitor|WebhookSecret)/;

/** Runs an example as the CDK command line does, by the command in its cdk.json; returns the templates by the names of their stacks. */
function synthesise(example: string, context: Record<string, string>, stacks: string[]): Record<string, Json> {
  const outdir = mkdtempSync(path.join(tmpdir(), 'example-'));
  try {
    const cwd = path.join(EXAMPLES, example);
    const [command, ...args] = JSON.parse(readFileSync(path.join(cwd, 'cdk.json'), 'utf8')).app.split(' ');
    execFileSync(command, args, { cwd, env: { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(context) } });
    return Object.fromEntries(stacks.map((stack) => [stack, JSON.parse(readFileSync(path.join(outdir, `${stack}.template.json`), 'utf8'))]));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

const ourWarnings = (stack: Stack) => Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('cdk-github-runner-janitor'));

const functionsOf = (template: Json) => Object.entries(resourcesOf(template, 'AWS::Lambda::Function')).filter(([id]) => ADDED.test(id));

describe('beside a stack of cdk-github-runners', () => {
  const alone = templateOf(new RunnerStack(new App(), 'Runners', { env: ENV }));

  describe('from a stack of its own', () => {
    const app = new App();
    const runnerStack = new RunnerStack(app, 'Runners', { env: ENV });
    const watching = new Stack(app, 'Watching', { env: ENV });
    watchOver(watching, runnerStack.runners);
    const template = templateOf(watching);

    test('the stack of the runners stays as it is, but for what it exports', () => {
      const { Outputs: outputs, ...rest } = templateOf(runnerStack);
      const { Outputs: outputsAlone, ...restAlone } = alone;
      expect(rest).toEqual(restAlone);
      expect(outputs).toMatchObject(outputsAlone);
      const exported = Object.keys(outputs).filter((name) => !(name in outputsAlone));
      expect(exported.length).toBeGreaterThan(0);
      for (const name of exported) expect(outputs[name].Export.Name).toMatch(/^Runners:ExportsOutput/);
    });

    test('everything refers to the runners by those exports', () => {
      expect(templateProblems(template)).toEqual([]);
      const imported = (part: string) => ({ 'Fn::ImportValue': expect.stringMatching(`^Runners:ExportsOutput.*${part}`) });
      expect(environmentOf(template, 'DetectorJudge')).toMatchObject({
        STATE_MACHINE_ARN: imported('RunnerOrchestrator'), GITHUB_SECRET: imported('GitHub'), GITHUB_PRIVATE_KEY: imported('GitHub'),
      });
      const [filter] = Object.values(resourcesOf(template, 'AWS::Logs::SubscriptionFilter'));
      expect(filter!.Properties.LogGroupName).toEqual(imported('CodeBuild'));
      const [rule] = Object.values(resourcesOf(template, 'AWS::Events::Rule')).filter(({ Properties }) => Properties.EventPattern);
      expect(rule!.Properties.EventPattern.detail.stateMachineArn).toEqual([imported('RunnerOrchestrator')]);
    });

    test('both constructs together bring six functions, and nothing is worth a warning', () => {
      expect(functionsOf(template).map(([id]) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual([
        'DetectorIntake', 'DetectorJudge', 'DetectorRecorder', 'DetectorWebhook', 'JanitorConfirmation', 'JanitorDiscovery',
      ]);
      expect(ourWarnings(watching)).toEqual([]);
    });
  });

  describe('from the same stack', () => {
    const stack = new RunnerStack(new App(), 'Runners', { env: ENV });
    watchOver(stack, stack.runners);
    const template = templateOf(stack);

    test('what the runners consist of stays as it is', () => {
      expect(templateProblems(template)).toEqual([]);
      const others = Object.fromEntries(Object.entries(template.Resources).filter(([id]) => !ADDED.test(id)));
      expect(others).toEqual(alone.Resources);
    });

    test('everything refers to the runners directly', () => {
      expect(JSON.stringify(template)).not.toContain('Fn::ImportValue');
      const machine = environmentOf(template, 'DetectorJudge').STATE_MACHINE_ARN;
      expect(template.Resources[machine.Ref].Type).toBe('AWS::StepFunctions::StateMachine');
      expect(permissionsOf(template, 'DetectorJudgeRole')).toContainEqual({ Effect: 'Allow', Action: 'states:StartExecution', Resource: machine });
    });
  });

  test('the example synthesises by its own command, both ways', () => {
    const templates = synthesise('beside-cdk-github-runners', {}, ['Runners', 'WatchOverRunners', 'RunnersWatchedOver']);
    expect(Object.entries(templates).map(([name, template]) => [name, functionsOf(template).length])).toEqual([
      ['Runners', 0], ['WatchOverRunners', 6], ['RunnersWatchedOver', 6],
    ]);
  }, 120_000);
});

describe('runners of a state machine that is deployed already', () => {
  test('get a detector that needs no change of theirs', () => {
    const stack = new StolenRunners(new App(), 'StolenRunners');
    const template = templateOf(stack);
    expect(templateProblems(template)).toEqual([]);
    expect(Object.keys(resourcesOf(template, 'AWS::Lambda::Function')).map((id) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual([
      'DetectorIntake', 'DetectorJudge', 'DetectorRecorder',
    ]);
    expect(ourWarnings(stack)).toEqual([]);
  });

  test.each([
    [{}, 'true'],
    [{ armed: 'true' }, 'false'],
  ])('the example synthesises by its own command with the context %j, and OBSERVE_ONLY is then %s', (context, observeOnly) => {
    const { StolenRunners: template } = synthesise('stolen-runners', context, ['StolenRunners']);
    expect(environmentOf(template!, 'Judge').OBSERVE_ONLY).toBe(observeOnly);
  }, 120_000);
});
