import { DEMO } from '../../../examples/demo/demo-app';
import type { JanitorStage } from '../cloud/janitor-stage';

export type Look = 'first' | 'second';

/** One kind of request that the functions send, and how often an undisturbed look at a {@link MatrixFleet} sends it, from a cold start. */
export interface OutboundCall {
  readonly name: string;
  readonly requests: Readonly<Record<Look, number>>;
  readonly target: GitHubTarget | AwsTarget;
  /** a warm function remembers the answer, so that only a cold start asks for it */
  readonly remembered?: boolean;
  /** happens only when candidates are delivered before their time */
  readonly early?: boolean;
}

export interface GitHubTarget {
  readonly api: 'GitHub';
  readonly method: string;
  readonly path: RegExp;
  /** a good answer's body: one page of several, a single thing with numbers or booleans in it, text alone, or none */
  readonly body: 'page' | 'figures' | 'text' | 'nothing';
}

export interface AwsTarget {
  readonly api: 'AWS';
  readonly service: 'dynamodb' | 'ec2' | 'secretsmanager' | 'sqs' | 'states';
  readonly action: string;
  readonly region?: string;
}

/** Every call of both looks; the test asserts that there is no other one. */
export const OUTBOUND_CALLS: readonly OutboundCall[] = [
  aws('read the secret', { first: 1, second: 1 }, 'secretsmanager', 'GetSecretValue', { remembered: true }),
  github('look up the installation', { first: 1, second: 1 }, 'GET', /^\/orgs\/[^/]+\/installation$/, 'figures', { remembered: true }),
  github('mint a token', { first: 1, second: 1 }, 'POST', /\/access_tokens$/, 'text'),
  github('list the groups', { first: 1, second: 1 }, 'GET', /\/runner-groups$/, 'page'),
  github('read a page of runners', { first: 2, second: 2 }, 'GET', /\/runner-groups\/\d+\/runners$/, 'page'),
  github('find a runner by name', { first: 0, second: 1 }, 'GET', /^\/orgs\/[^/]+\/actions\/runners$/, 'page'),
  github('GET a runner', { first: 0, second: 6 }, 'GET', /\/actions\/runners\/\d+$/, 'figures'),
  github('DELETE a runner', { first: 0, second: 5 }, 'DELETE', /\/actions\/runners\/\d+$/, 'nothing'),
  ...DEMO.regions.map((region) => aws(`look up machines in ${region}`, { first: 2, second: 1 }, 'ec2', 'DescribeInstances', { region })),
  aws('send candidates', { first: 4, second: 0 }, 'sqs', 'SendMessage'),
  aws('postpone a candidate', { first: 0, second: 7 }, 'sqs', 'ChangeMessageVisibility', { early: true }),
];

/** How many requests of this kind have been sent so far. */
export function countRequests({ target }: OutboundCall, { github: { requests }, cloud }: JanitorStage): number {
  if (target.api === 'GitHub') return requests.filter(({ method, path }) => method === target.method && target.path.test(path)).length;
  return cloud.gateway.recorder.calls
    .filter(({ action, region }) => action === `${target.service}:${target.action}` && (target.region ?? region) === region).length;
}

type Extra = Pick<OutboundCall, 'remembered' | 'early'>;

function github(name: string, requests: OutboundCall['requests'], method: string, path: RegExp, body: GitHubTarget['body'], extra: Extra = {}): OutboundCall {
  return { name, requests, target: { api: 'GitHub', method, path, body }, ...extra };
}

function aws(
  name: string, requests: OutboundCall['requests'], service: AwsTarget['service'], action: string, { region, ...extra }: Extra & { readonly region?: string } = {},
): OutboundCall {
  return { name, requests, target: { api: 'AWS', service, action, ...(region !== undefined && { region }) }, ...extra };
}
