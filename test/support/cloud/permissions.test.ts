import { isAllowed, matchesPattern } from './permissions';
import type { Statement } from './policies';

const allow = (more: Partial<Statement> = {}): Statement => ({ effect: 'Allow', actions: ['sqs:SendMessage'], resources: ['*'], conditions: {}, ...more });
const ask = (more: { action?: string; resources?: string[]; context?: Record<string, string> } = {}) => (
  { action: 'sqs:SendMessage', resources: ['arn:aws:sqs:eu-west-1:1:queue'], context: {}, ...more }
);

test.each([
  ['nothing allows it', [], ask(), false],
  ['a statement allows it', [allow()], ask(), true],
  ['another action is allowed', [allow({ actions: ['sqs:ReceiveMessage'] })], ask(), false],
  ['the action is written in another case', [allow({ actions: ['SQS:sendmessage'] })], ask(), true],
  ['a wildcard covers the action', [allow({ actions: ['sqs:Send*'] })], ask(), true],
  ['another resource is allowed', [allow({ resources: ['arn:aws:sqs:eu-west-1:1:other'] })], ask(), false],
  ['a wildcard covers the resource', [allow({ resources: ['arn:aws:sqs:*:1:queu?'] })], ask(), true],
  ['one of two resources is not allowed', [allow({ resources: ['a'] })], ask({ resources: ['a', 'b'] }), false],
  ['each resource is allowed by a statement of its own', [allow({ resources: ['a'] }), allow({ resources: ['b'] })], ask({ resources: ['a', 'b'] }), true],
  ['an explicit denial stands against it', [allow(), allow({ effect: 'Deny' })], ask(), false],
  ['a denial is for another resource', [allow(), allow({ effect: 'Deny', resources: ['x'] })], ask(), true],
])('%s', (_, statements, request, expected) => {
  expect(isAllowed(statements, request)).toBe(expected);
});

describe('a condition', () => {
  const conditions = { StringEquals: { 'aws:RequestedRegion': ['eu-west-1', 'us-east-1'] } };

  test.each([['eu-west-1', true], ['us-east-1', true], ['ap-south-1', false], ['eu-west-10', false]])('on the region lets %s through: %s', (region, expected) => {
    expect(isAllowed([allow({ conditions })], ask({ context: { 'aws:RequestedRegion': region } }))).toBe(expected);
  });

  test('on a key that the request does not have matches nothing', () => {
    expect(isAllowed([allow({ conditions })], ask())).toBe(false);
  });

  test('must hold together with every other one', () => {
    const both = { ...conditions, StringLike: { 'aws:PrincipalAccount': '12*' } };
    const context = { 'aws:RequestedRegion': 'eu-west-1', 'aws:PrincipalAccount': '123' };
    expect(isAllowed([allow({ conditions: both })], ask({ context }))).toBe(true);
    expect(isAllowed([allow({ conditions: both })], ask({ context: { ...context, 'aws:PrincipalAccount': '321' } }))).toBe(false);
  });

  test.each([
    ['true', undefined, true], ['true', 'arn:aws:lambda:eu-west-1:1:function:judge', false],
    ['false', undefined, false], ['false', 'arn:aws:lambda:eu-west-1:1:function:judge', true],
  ])('that a key is missing (%s) matches a request with %s: %s', (isMissing, arn, expected) => {
    const statements = [allow({ conditions: { Null: { 'lambda:SourceFunctionArn': isMissing } } })];
    expect(isAllowed(statements, ask({ context: arn === undefined ? {} : { 'lambda:SourceFunctionArn': arn } }))).toBe(expected);
  });

  test('with an operator that is not understood is an error and not a guess', () => {
    const request = ask({ context: { size: '1' } });
    expect(() => isAllowed([allow({ conditions: { NumericEquals: { size: '1' } } })], request)).toThrow("does not know the condition operator 'NumericEquals'");
  });
});

test('characters that mean something in regular expressions mean nothing in a pattern', () => {
  expect(matchesPattern('a.b', 'axb')).toBe(false);
  expect(matchesPattern('a.b(c)+', 'a.b(c)+')).toBe(true);
});
