import { Duration, Tokenization, aws_events as events } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { CredentialsConfig, ScopeConfig } from '../contract/janitor-config';
import { JANITOR_ENV } from '../contract/janitor-config';
import { CANDIDATES_PER_RUN, INTERVAL_SECONDS, QUOTA_RESERVE_DEFAULT } from '../contract/limits';
import { Evidence } from '../evidence';
import type { RegistrationJanitorProps } from '../registration-janitor-props';
import { githubHost } from './github-url';
import { jsonVariable } from './handler-environment';
import { checkInteger, checkInterval, checkList, checkNumber, checkText, invalid } from './validate';

/** The janitor's props, checked and with their defaults. */
export interface JanitorSettings {
  readonly interval: Duration;
  readonly schedule: events.Schedule;
  /** everything both functions are told, less the queue */
  readonly variables: Record<string, string>;
}

/** @throws naming the property, what is allowed and what it got */
export function janitorSettings(scope: Construct, props: RegistrationJanitorProps): JanitorSettings {
  const candidatesPerRun = props.candidatesPerRun ?? CANDIDATES_PER_RUN.default;
  checkInteger('candidatesPerRun', candidatesPerRun, CANDIDATES_PER_RUN);
  const quotaReserve = props.quotaReserve ?? QUOTA_RESERVE_DEFAULT;
  checkNumber('quotaReserve', quotaReserve, { min: 0, max: 0.9 });
  const interval = props.interval ?? Duration.seconds(INTERVAL_SECONDS.default);
  checkInterval('interval', interval, INTERVAL_SECONDS);
  const protectedLabels = props.protectedLabels ?? [];
  // GitHub compares labels without case
  checkList('protectedLabels', protectedLabels, { item: checkText, key: (label) => label.toLowerCase(), mayBeEmpty: true });
  const acknowledgedForeignRunners = props.acknowledgedForeignRunners ?? [];
  // one that could not be ours would exempt nobody from the scope proof
  checkList('acknowledgedForeignRunners', acknowledgedForeignRunners, { item: props.computeProvider._binding.checkRunnerName, mayBeEmpty: true });
  const host = githubHost(props.githubUrl, props.credentials._config);
  checkPair(props.runnerScope._config, props.credentials._config);

  const schedule = events.Schedule.rate(interval);
  return {
    interval,
    schedule,
    variables: {
      ...(host === undefined ? {} : { [JANITOR_ENV.githubUrl]: host }),
      ...props.credentials._variables(),
      [JANITOR_ENV.scope]: jsonVariable(scope, props.runnerScope._config),
      [JANITOR_ENV.credentials]: jsonVariable(scope, props.credentials._config),
      [JANITOR_ENV.compute]: jsonVariable(scope, props.computeProvider._binding.config),
      [JANITOR_ENV.evidence]: props.evidence ?? Evidence.ABSENT,
      [JANITOR_ENV.dryRun]: String(props.dryRun ?? true),
      [JANITOR_ENV.candidatesPerRun]: Tokenization.stringifyNumber(candidatesPerRun),
      [JANITOR_ENV.quotaReserve]: Tokenization.stringifyNumber(quotaReserve),
      [JANITOR_ENV.schedule]: schedule.expressionString,
      [JANITOR_ENV.protectedLabels]: jsonVariable(scope, protectedLabels),
      [JANITOR_ENV.acknowledgedForeignRunners]: jsonVariable(scope, acknowledgedForeignRunners),
    },
  };
}

/** https://docs.github.com/en/rest/actions/self-hosted-runners: the enterprise operations do not accept tokens of Apps. */
function checkPair(scope: ScopeConfig, credentials: CredentialsConfig): void {
  if (scope.kind !== 'enterprise') return;
  if (credentials.kind === 'apps' || credentials.kind === 'ssmManifest') {
    throw invalid('credentials', 'GitHubCredentials.token(...) for an enterprise, where GitHub accepts no Apps', `credentials of kind ${credentials.kind}`);
  }
}
