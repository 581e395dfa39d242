import { DETECTOR_ENV } from '../../src/contract/detector-config';
import type { CredentialsConfig } from '../../src/contract/janitor-config';
import { json, number, required } from '../shared/config';
import type { Environment } from '../shared/config';

/** The environment of the judge, parsed once. */
export interface JudgeConfig {
  readonly table: string;
  readonly ttlSeconds: number;
  readonly queueUrl: string;
  readonly stateMachineArn: string;
  /** undefined: the host is named by the credentials */
  readonly githubUrl: string | undefined;
  readonly credentials: CredentialsConfig;
  readonly maxReplacements: number;
  readonly maxReplacementsPerHour: number;
  readonly observeOnly: boolean;
  readonly recordsExecutions: boolean;
}

/** @throws ConfigurationError naming the variable, its value and what is expected */
export function judgeConfig(env: Environment): JudgeConfig {
  return {
    ...recorderConfig(env),
    queueUrl: queueUrl(env),
    stateMachineArn: required(env, DETECTOR_ENV.stateMachineArn),
    githubUrl: env[DETECTOR_ENV.githubUrl] || undefined,
    credentials: json<CredentialsConfig>(env, DETECTOR_ENV.credentials),
    maxReplacements: number(env, DETECTOR_ENV.maxReplacements),
    maxReplacementsPerHour: number(env, DETECTOR_ENV.maxReplacementsPerHour),
    // only the exact word starts anything
    observeOnly: required(env, DETECTOR_ENV.observeOnly) !== 'false',
    recordsExecutions: env[DETECTOR_ENV.recordsExecutions] === 'true',
  };
}

export function recorderConfig(env: Environment): Pick<JudgeConfig, 'table' | 'ttlSeconds'> {
  return { table: required(env, DETECTOR_ENV.table), ttlSeconds: number(env, DETECTOR_ENV.ttlSeconds) };
}

export function queueUrl(env: Environment): string {
  return required(env, DETECTOR_ENV.queueUrl);
}

export function webhookSecretArn(env: Environment): string {
  return required(env, DETECTOR_ENV.webhookSecret);
}
