import type { Statement } from './policies';

/** What IAM is asked: may this be done to these resources? */
export interface AccessRequest {
  /** `service:Action` */
  readonly action: string;
  readonly resources: readonly string[];
  /** condition keys of the request, such as `aws:RequestedRegion` */
  readonly context: Readonly<Record<string, string>>;
}

/** IAM's answer for identity policies: an explicit denial wins, and what nothing allows is denied. Every resource must be allowed. */
export function isAllowed(statements: readonly Statement[], request: AccessRequest): boolean {
  return request.resources.every((resource) => {
    const matching = statements.filter((statement) => applies(statement, request, resource));
    return matching.some(({ effect }) => effect === 'Allow') && !matching.some(({ effect }) => effect === 'Deny');
  });
}

/** IAM's wildcards: `*` is any text, `?` any one character. */
export function matchesPattern(pattern: string, value: string, ignoreCase = false): boolean {
  const source = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.');
  return new RegExp(`^${source}$`, ignoreCase ? 'is' : 's').test(value);
}

/** Whether a statement is about this request for one of its resources, for or against it. */
export function applies(statement: Statement, request: AccessRequest, resource: string): boolean {
  return statement.actions.some((action) => matchesPattern(action, request.action, true))
    && statement.resources.some((pattern) => matchesPattern(pattern, resource))
    && Object.entries(statement.conditions).every(([operator, keys]) => holds(operator, keys, request.context));
}

type Test = (actual: string, expected: string) => boolean;

const OPERATORS: Readonly<Record<string, Test>> = {
  StringEquals: (actual, expected) => actual === expected,
  StringLike: (actual, expected) => matchesPattern(expected, actual),
  ArnEquals: (actual, expected) => matchesPattern(expected, actual),
  ArnLike: (actual, expected) => matchesPattern(expected, actual),
  Bool: (actual, expected) => actual.toLowerCase() === expected.toLowerCase(),
};

/** Every key must match one of its values; a key that the request does not have matches nothing, and `Null` asks for just that. */
function holds(operator: string, keys: Statement['conditions'][string], context: AccessRequest['context']): boolean {
  if (operator === 'Null') return Object.entries(keys).every(([key, expected]) => String(context[key] === undefined) === String(expected));
  const test = OPERATORS[operator];
  if (!test) throw new Error(`the permission proof does not know the condition operator '${operator}'`);
  return Object.entries(keys).every(([key, expected]) => {
    const actual = context[key];
    return actual !== undefined && (typeof expected === 'string' ? [expected] : expected).some((value) => test(actual, String(value)));
  });
}
