import { matchesPattern } from './permissions';
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

  /** `function: service:Action` for each action that a policy allows and that no call has used. */
  unused(principals: Iterable<Principal>, exceptions: Readonly<Record<string, string>> = USED_BY_LAMBDA_ITSELF): readonly string[] {
    return [...principals].flatMap(({ name, statements }) => {
      const allowed = new Set((statements ?? []).filter(({ effect }) => effect === 'Allow').flatMap(({ actions }) => actions));
      const used = this.calls.filter((call) => call.principal === name && call.allowed).map(({ action }) => action);
      return [...allowed]
        .filter((pattern) => !(pattern in exceptions) && !used.some((action) => matchesPattern(pattern, action, true)))
        .map((pattern) => `${name}: ${pattern}`);
    });
  }
}
