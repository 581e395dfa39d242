import type { AwsTarget, GitHubTarget, OutboundCall } from './outbound-call';
import type { FaultEffect as AwsEffect } from '../cloud/aws-faults';
import { WITHOUT_RESERVATION_SET } from '../cloud/ec2-service';
import type { FakeGitHub } from '../fake-github/fake-github';
import type { FaultEffect as GitHubEffect } from '../fake-github/faults';

/** Something that goes wrong with a call, or `undefined` where this fault cannot happen to it. */
export interface Fault {
  readonly name: string;
  readonly onGitHub?: (target: GitHubTarget) => GitHubEffect<FakeGitHub> | 'slow' | undefined;
  readonly onAws?: (target: AwsTarget) => AwsEffect | 'slow' | undefined;
}

/** A well-formed answer of a JSON service that does not say what was asked. */
const EMPTY_OBJECT = { status: 200, body: '{}', headers: { 'content-type': 'application/x-amz-json-1.1' } };

/** Not GitHub's. */
const ELSEWHERE = 'elsewhere.example';

export const FAULTS: readonly Fault[] = [
  onGitHub('401', { status: 401 }),
  onGitHub('403 permission', 'permission403'),
  onGitHub('403 limit', 'limit403'),
  onGitHub('403 secondary', 'secondary403'),
  onGitHub('404', { status: 404 }),
  onGitHub('409', { status: 409 }),
  onGitHub('422', { status: 422 }),
  onGitHub('429 limit', 'limit429'),
  onGitHub('429 retry-after', { status: 429, retryAfter: 30 }),
  onAws('throttled', {
    dynamodb: ['ThrottlingException', 400],
    ec2: ['RequestLimitExceeded', 503],
    secretsmanager: ['ThrottlingException', 400],
    sqs: ['RequestThrottled', 400],
    states: ['ThrottlingException', 400],
  }),
  onAws('access denied', { ...sameWords('AccessDeniedException'), ec2: ['UnauthorizedOperation', 403] }),
  onAws('not signed in', { ...sameWords('UnrecognizedClientException'), ec2: ['AuthFailure', 401] }),
  onAws('not found', {
    dynamodb: ['ResourceNotFoundException', 400],
    ec2: ['InvalidInstanceID.NotFound', 400],
    secretsmanager: ['ResourceNotFoundException', 400],
    sqs: ['QueueDoesNotExist', 400],
    states: ['StateMachineDoesNotExist', 400],
  }),
  { name: '500', onGitHub: () => ({ status: 500 }), onAws: () => refusal('InternalError', 500) },
  { name: '502', onGitHub: () => ({ status: 502 }), onAws: () => ({ status: 502, body: 'Bad Gateway', headers: { 'content-type': 'text/plain' } }) },
  onBoth('slow', 'slow'),
  onBoth('hang', 'hang'),
  onBoth('connection reset', 'reset'),
  { name: 'cut body', onGitHub: ({ body }) => (body === 'nothing' ? undefined : 'cutBody'), onAws: () => 'cutBody' },
  onGitHub('answer lost', 'resetAfter'),
  onBoth('empty 200', 'emptyBody'),
  onBoth('HTML 200', 'html'),
  { name: 'wrong shape', onGitHub: () => 'wrongShape', onAws: wrongShape },
  { name: 'wrong types', onGitHub: ({ body }) => (body === 'figures' || body === 'page' ? 'wrongTypes' : undefined) },
  onGitHub('redirect elsewhere', { status: 302, headers: { location: `https://${ELSEWHERE}/` } }),
  { name: 'next page elsewhere', onGitHub: ({ body }) => (body === 'page' ? { headers: { link: `<https://${ELSEWHERE}/?page=2>; rel="next"` } } : undefined) },
];

/** Whether the fault can happen to the call at all. */
export function canHappen(fault: Fault, { target }: Pick<OutboundCall, 'target'>): boolean {
  return (target.api === 'GitHub' ? fault.onGitHub?.(target) : fault.onAws?.(target)) !== undefined;
}

function wrongShape({ service, action }: AwsTarget): AwsEffect | undefined {
  if (service === 'ec2') return WITHOUT_RESERVATION_SET;
  // an empty object is the right answer to a write
  if (service === 'dynamodb') return action === 'GetItem' ? { ...EMPTY_OBJECT, body: '{"Item":{"pk":"text"}}' } : undefined;
  return EMPTY_OBJECT;
}

function onGitHub(name: string, effect: GitHubEffect<FakeGitHub>): Fault {
  return { name, onGitHub: () => effect };
}

type Refusals = Readonly<Record<AwsTarget['service'], readonly [error: string, status: number]>>;

/** The services with JSON protocols have some of them in common. */
function sameWords(error: string): Refusals {
  return { dynamodb: [error, 400], ec2: [error, 400], secretsmanager: [error, 400], sqs: [error, 400], states: [error, 400] };
}

/** Each service says it in words of its own. */
function onAws(name: string, refusals: Refusals): Fault {
  return { name, onAws: ({ service }) => refusal(...refusals[service]) };
}

function onBoth(name: string, effect: 'slow' | 'hang' | 'reset' | 'emptyBody' | 'html'): Fault {
  return { name, onGitHub: () => effect, onAws: () => effect };
}

function refusal(error: string, status: number): AwsEffect {
  return { error, status };
}
