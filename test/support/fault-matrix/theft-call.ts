import type { AwsTarget, GitHubTarget } from './outbound-call';
import { SHOP } from '../../../examples/demo/runner-app';

/**
 * What becomes of a runner: it is stolen by a repository of the same owner, by one where the App is not installed, it has swapped its job,
 * or somebody only says that it ran in such a repository.
 */
export type Story = 'stolen' | 'stolenElsewhere' | 'swapped' | 'slandered';

/** One kind of request that the detector's functions send while a story is judged. */
export interface TheftCall {
  readonly name: string;
  readonly story: Story;
  readonly target: GitHubTarget | AwsTarget;
  /** a warm function remembers the answer, so that only a cold start asks for it */
  readonly remembered?: boolean;
}

const RUN_JOBS = { method: 'GET', path: /\/actions\/runs\/\d+\/jobs$/, body: 'page' } as const;

/** Every call of the judge and the intake, in the stories that make it. */
export const THEFT_CALLS: readonly TheftCall[] = [
  aws('queue a report', 'stolen', 'sqs', 'SendMessage'),
  ...(['stolen', 'swapped', 'slandered'] as const).map((story) => aws('look the execution up', story, 'states', 'DescribeExecution')),
  aws('read the secret', 'stolen', 'secretsmanager', 'GetSecretValue', true),
  github('look up the installation', 'stolen', { method: 'GET', path: new RegExp(`^/(orgs|users)/${SHOP.organization}/installation$`), body: 'figures' }, true),
  github('mint a token', 'stolen', { method: 'POST', path: /\/access_tokens$/, body: 'text' }, true),
  github('list the jobs of a run', 'stolen', RUN_JOBS),
  github('list the jobs of a run', 'swapped', RUN_JOBS),
  ...(['stolenElsewhere', 'slandered'] as const).flatMap((story) => [
    github('look for the App in a repository', story, { method: 'GET', path: /^\/repos\/[^/]+\/[^/]+\/installation$/, body: 'figures' }),
    github('find its own job', story, { method: 'GET', path: /\/actions\/jobs\/\d+$/, body: 'figures' }),
    github('find its registration', story, { method: 'GET', path: /\/actions\/runners$/, body: 'page' }),
  ]),
  ...(['stolen', 'swapped'] as const).flatMap((story) => [
    aws('write down what it ran', story, 'dynamodb', 'PutItem'),
    aws('read the record of a job', story, 'dynamodb', 'GetItem'),
  ]),
  aws('wait for the record of a job', 'stolen', 'sqs', 'ChangeMessageVisibility'),
  aws('claim and record a replacement', 'stolen', 'dynamodb', 'UpdateItem'),
  aws('start the replacement', 'stolen', 'states', 'StartExecution'),
];

function aws(name: string, story: Story, service: AwsTarget['service'], action: string, remembered = false): TheftCall {
  return { name, story, target: { api: 'AWS', service, action }, remembered };
}

function github(name: string, story: Story, target: Omit<GitHubTarget, 'api'>, remembered = false): TheftCall {
  return { name, story, target: { api: 'GitHub', ...target }, remembered };
}
