import { applies, matchesPattern } from './permissions';
import type { Statement } from './policies';

/** Whoever holds a set of access keys: a function of the template, or a role of another account that one of them has assumed. */
export interface Principal {
  readonly name: string;
  readonly account: string;
  /** what services know the caller by; of an assumed role `<role id>:<session name>` */
  readonly userId?: string;
  /** undefined: a role outside the template, about which nothing is known here */
  readonly statements: readonly Statement[] | undefined;
}

export interface RecordedCall {
  readonly principal: string;
  /** `service:Action` */
  readonly action: string;
  readonly resources: readonly string[];
  readonly region: string;
  /** condition keys of the request */
  readonly context: Readonly<Record<string, string>>;
  readonly allowed: boolean;
}

/** Allowed actions that no call to the local cloud can use, because something other than the function's own code uses them at AWS. */
export const USED_BY_LAMBDA_ITSELF: Readonly<Record<string, string>> = {
  'logs:CreateLogGroup': 'log writing',
  'logs:CreateLogStream': 'log writing',
  'logs:PutLogEvents': 'log writing',
  'sqs:GetQueueUrl': 'queue poller',
  'sqs:GetQueueAttributes': 'queue poller',
  'ec2:CreateNetworkInterface': 'network interfaces',
  'ec2:DescribeNetworkInterfaces': 'network interfaces',
  'ec2:DescribeSubnets': 'network interfaces',
  'ec2:DeleteNetworkInterface': 'network interfaces',
  'ec2:AssignPrivateIpAddresses': 'network interfaces',
  'ec2:UnassignPrivateIpAddresses': 'network interfaces',
};

/** Every AWS call that was made, and what it proves about the synthesised permissions. */
export class CallRecorder {
  readonly calls: RecordedCall[] = [];

  get denied(): readonly RecordedCall[] {
    return this.calls.filter(({ allowed }) => !allowed);
  }

  count(action: string, principal?: string): number {
    return this.calls.filter((call) => call.action === action && (principal === undefined || call.principal === principal)).length;
  }

  /**
   * `function: service:Action` for each action that a statement allows on a resource, and that no call which the statement is about has
   * used. Where calls that other statements are about have used the action, the line says which resource is meant.
   */
  unused(principals: Iterable<Principal>, exceptions: Readonly<Record<string, string>> = USED_BY_LAMBDA_ITSELF): readonly string[] {
    return [...principals].flatMap(({ name, statements = [] }) => {
      const calls = this.calls.filter((call) => call.principal === name && call.allowed);
      const lines = permissionsOf(statements).flatMap((permission) => {
        const [action] = permission.actions;
        if (action in exceptions || calls.some((call) => call.resources.some((resource) => applies(permission, call, resource)))) return [];
        const isKnown = calls.some((call) => matchesPattern(action, call.action, true));
        return [isKnown ? `${name}: ${action} on ${permission.resources[0]}` : `${name}: ${action}`];
      });
      return [...new Set(lines)];
    });
  }
}

type Permission = Statement & { readonly actions: readonly [string]; readonly resources: readonly [string] };

/** Statements that allow something, taken apart: one action on one resource each, with the conditions of the whole. */
function permissionsOf(statements: readonly Statement[]): readonly Permission[] {
  return statements.filter(({ effect }) => effect === 'Allow').flatMap((statement) => statement.actions.flatMap((action) => (
    statement.resources.map((resource): Permission => ({ ...statement, actions: [action], resources: [resource] }))
  )));
}
