import type { Resource, Template } from './template';

export interface Statement {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** Every identity policy that the template gives a role: inline ones, `AWS::IAM::Policy`, customer managed and known AWS managed ones. */
export function statementsOf(template: Template, roleArn: string): readonly Statement[] {
  const role = roleOf(template, roleArn);
  const name = template.ref(role.logicalId);
  const managed = (role.properties.ManagedPolicyArns as string[] | undefined) ?? [];
  const inline = ((role.properties.Policies as { PolicyDocument: Document }[] | undefined) ?? []).map(({ PolicyDocument }) => PolicyDocument);
  const attached = template.ofType('AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy')
    .filter(({ logicalId, properties }) => {
      const roles = (properties.Roles as string[] | undefined) ?? [];
      return roles.includes(name) || managed.includes(template.ref(logicalId));
    })
    .map(({ properties }) => properties.PolicyDocument as Document);
  return [...inline.flatMap(parse), ...attached.flatMap(parse), ...managed.filter((arn) => arn.includes(':aws:policy/')).flatMap(awsManaged)];
}

/** What IAM calls a role besides its name; another role of the same name would have another. */
export function roleIdOf(template: Template, roleArn: string): string {
  return template.attribute(roleOf(template, roleArn).logicalId, 'RoleId');
}

function roleOf(template: Template, roleArn: string): Resource {
  const role = template.ofType('AWS::IAM::Role').find(({ logicalId }) => template.attribute(logicalId, 'Arn') === roleArn);
  if (!role) throw new Error(`role '${roleArn}' is not in the template`);
  return role;
}

interface Document {
  readonly Statement: RawStatement | readonly RawStatement[];
}

interface RawStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action?: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Condition?: Statement['conditions'];
  readonly [other: string]: unknown;
}

const UNDERSTOOD = ['Sid', 'Effect', 'Action', 'Resource', 'Condition'];

function parse(document: Document): Statement[] {
  return list(document.Statement).map((raw) => {
    const unknown = Object.keys(raw).filter((key) => !UNDERSTOOD.includes(key));
    if (unknown.length > 0) throw new Error(`the permission proof does not understand '${unknown.join(', ')}' in ${JSON.stringify(raw)}`);
    return { effect: raw.Effect, actions: list(raw.Action), resources: list(raw.Resource), conditions: raw.Condition ?? {} };
  });
}

const AWS_MANAGED: Readonly<Record<string, readonly string[]>> = {
  'service-role/AWSLambdaBasicExecutionRole': ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
  'service-role/AWSLambdaVPCAccessExecutionRole': ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents',
    'ec2:CreateNetworkInterface', 'ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets', 'ec2:DeleteNetworkInterface',
    'ec2:AssignPrivateIpAddresses', 'ec2:UnassignPrivateIpAddresses'],
};

function awsManaged(arn: string): Statement[] {
  const actions = AWS_MANAGED[arn.split(':policy/')[1] ?? ''];
  if (!actions) throw new Error(`the permission proof does not know the managed policy '${arn}'`);
  return [{ effect: 'Allow', actions, resources: ['*'], conditions: {} }];
}

function list<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value as readonly T[] : [value as T];
}
