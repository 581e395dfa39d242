import { templateDifferences } from './template-differences';

const template = () => ({
  Resources: {
    Queue: { Type: 'AWS::SQS::Queue', Properties: { DelaySeconds: 900, Tags: ['a', 'b'] } },
    Rule: { Type: 'AWS::Events::Rule' },
  },
  Parameters: { BootstrapVersion: { Default: '/cdk' } },
});

test('templates that say the same in another order do not differ', () => {
  const { Resources, Parameters } = template();
  expect(templateDifferences({ Parameters, Resources: { Rule: Resources.Rule, Queue: Resources.Queue } }, template())).toEqual([]);
});

test('a property is named by its resource and its path, with both values', () => {
  const other = template();
  other.Resources.Queue.Properties.DelaySeconds = 0;
  other.Resources.Queue.Properties.Tags[1] = 'c';
  expect(templateDifferences(template(), other)).toEqual([
    'Queue.Properties.DelaySeconds: expected 900, got 0',
    'Queue.Properties.Tags.1: expected "b", got "c"',
  ]);
});

test('resources that only one of them has differ', () => {
  const { Resources: { Rule } } = template();
  expect(templateDifferences({ Resources: { Rule } }, { Resources: { Other: Rule } })).toEqual([
    'Rule: expected {"Type":"AWS::Events::Rule"}, got nothing',
    'Other: expected nothing, got {"Type":"AWS::Events::Rule"}',
  ]);
});

test('what is beside the resources is compared too', () => {
  expect(templateDifferences(template(), { ...template(), Outputs: { Url: {} } })).toEqual(['Outputs: expected nothing, got {"Url":{}}']);
});

test('a list is not an object with the same keys, and nothing is not null', () => {
  expect(templateDifferences({ A: { 0: 'x' } }, { A: ['x'] })).toEqual(['A: expected {"0":"x"}, got ["x"]']);
  expect(templateDifferences({ A: { b: null } }, { A: {} })).toEqual(['A.b: expected null, got nothing']);
});
