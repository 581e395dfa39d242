import type { Stack } from 'aws-cdk-lib';
import { janitorStack, resourceOf, templateOf } from './support/synth';
import { templateProblems } from './support/template-problems';

/** The dashboard's JSON, with references written as `<logical id>`. */
function bodyOf(stack: Stack) {
  const { DashboardBody } = resourceOf(templateOf(stack), 'AWS::CloudWatch::Dashboard').Properties;
  const text = DashboardBody['Fn::Join'][1]
    .map((part: any) => typeof part === 'string' ? part : `<${part.Ref ?? part['Fn::GetAtt'][0]}>`)
    .join('');
  return JSON.parse(text).widgets.map(({ properties }: any) => properties);
}

test('the dashboard shows what was deleted, what was not, and the log of this janitor', () => {
  const { stack, janitor } = janitorStack();
  janitor.createDashboard();
  expect(templateProblems(templateOf(stack))).toEqual([]);
  const widgets = bodyOf(stack);
  expect(widgets.map(({ title }: any) => title)).toEqual([
    'Candidates and deletions', 'What keeps it from deleting', 'Queues and failures', 'Second looks: what was decided, and why', 'Errors and warnings',
  ]);
  expect(widgets[0].metrics).toEqual(['Candidates', 'Deleted', 'WouldDelete', 'AlreadyGone'].map((name) =>
    ['GithubRunnerJanitor', name, 'service', 'Runners/Janitor', { stat: 'Sum' }]));
  for (const { query } of widgets.slice(3)) expect(query).toMatch(/^SOURCE '<JanitorLogs59EE4870>' \| fields @timestamp, /);
});

test('a second dashboard is an error', () => {
  const { janitor } = janitorStack();
  janitor.createDashboard();
  expect(() => janitor.createDashboard()).toThrow(/already a Construct with name 'Overview'/);
});
