import { ConfigurationError } from './errors';
import type { ComputeConfig, CredentialsConfig, EvidencePolicy, ScopeConfig } from '../../src/contract/janitor-config';
import { CANDIDATE_SENDER_ENV, JANITOR_ENV, NOMINATION_TAGS_ENV } from '../../src/contract/janitor-config';
import { CANDIDATES_PER_RUN } from '../../src/contract/limits';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The janitor's environment, parsed once. */
export interface JanitorConfig {
  /** absent: the host is named by the credentials */
  readonly githubUrl: string | undefined;
  readonly scope: ScopeConfig;
  readonly credentials: CredentialsConfig;
  readonly compute: ComputeConfig;
  readonly evidence: EvidencePolicy;
  readonly dryRun: boolean;
  readonly candidatesPerRun: number;
  readonly quotaReserve: number;
  /** of the schedule, in milliseconds */
  readonly interval: number;
  readonly queueUrl: string;
  readonly protectedLabels: readonly string[];
  readonly acknowledgedForeignRunners: readonly string[];
  /** unique id of the role that takes the first look; absent: nobody's word is taken for it */
  readonly candidateSender: string | undefined;
  /** of a machine whose end nominates its runner; none: no machine does */
  readonly nominationTags: Readonly<Record<string, string>>;
}

/** @throws ConfigurationError naming the variable, its value and what is expected */
export function janitorConfig(env: Environment): JanitorConfig {
  return {
    githubUrl: env[JANITOR_ENV.githubUrl] || undefined,
    scope: ofKind<ScopeConfig>(env, JANITOR_ENV.scope, SCOPES),
    credentials: ofKind<CredentialsConfig>(env, JANITOR_ENV.credentials, CREDENTIALS),
    compute: object<ComputeConfig>(env, JANITOR_ENV.compute),
    evidence: oneOf(env, JANITOR_ENV.evidence, ['absent', 'terminated']),
    // only the exact word arms the janitor
    dryRun: required(env, JANITOR_ENV.dryRun) !== 'false',
    candidatesPerRun: within(env, JANITOR_ENV.candidatesPerRun, 'an integer', CANDIDATES_PER_RUN),
    quotaReserve: within(env, JANITOR_ENV.quotaReserve, 'a number', { min: 0, max: 0.9 }),
    interval: rateInMilliseconds(env, JANITOR_ENV.schedule),
    queueUrl: required(env, JANITOR_ENV.queueUrl),
    protectedLabels: strings(env, JANITOR_ENV.protectedLabels),
    acknowledgedForeignRunners: strings(env, JANITOR_ENV.acknowledgedForeignRunners),
    candidateSender: env[CANDIDATE_SENDER_ENV] || undefined,
    nominationTags: env[NOMINATION_TAGS_ENV] ? json(env, NOMINATION_TAGS_ENV) : {},
  };
}

export function required(env: Environment, name: string): string {
  const value = env[name];
  if (!value) throw new ConfigurationError(`environment variable ${name} is missing`);
  return value;
}

export function json<T>(env: Environment, name: string): T {
  const text = required(env, name);
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new ConfigurationError(`environment variable ${name} is not JSON: ${text}`, { cause });
  }
}

/** The fields without which a configuration of each kind is of no use. */
type Fields<T extends { readonly kind: string }> = Readonly<Record<T['kind'], readonly string[]>>;

const SCOPES: Fields<ScopeConfig> = { organization: ['owner'], enterprise: ['owner'], repositories: ['owner', 'repositories'] };
const CREDENTIALS: Fields<CredentialsConfig> = {
  apps: ['secrets'], token: ['secret'], cdkGithubRunners: ['secret', 'privateKey'], ssmManifest: ['parameter'],
};

/** What the synth side has checked may still have become something else: a token in it is resolved by the deployment. */
function ofKind<T extends { readonly kind: string }>(env: Environment, name: string, kinds: Fields<T>): T {
  const value = object<T>(env, name);
  const fields = new Map<string, readonly string[]>(Object.entries(kinds)).get(value.kind);
  if (!fields) throw new ConfigurationError(`environment variable ${name} must have a 'kind' of ${Object.keys(kinds).join(', ')}, got ${env[name]}`);
  const missing = fields.filter((field) => !isFilled((value as Record<string, unknown>)[field]));
  if (missing.length > 0) throw new ConfigurationError(`environment variable ${name} lacks ${missing.join(' and ')}: ${env[name]}`);
  return value;
}

/** A text or a list of texts, none of them blank. */
function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => typeof item === 'string' && item.trim() !== '');
  return typeof value === 'string' && value.trim() !== '';
}

function object<T extends object>(env: Environment, name: string): T {
  const value = json<unknown>(env, name);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigurationError(`environment variable ${name} must be a JSON object, got ${env[name]}`);
  }
  return value as T;
}

function within(env: Environment, name: string, what: 'an integer' | 'a number', { min, max }: { readonly min: number; readonly max: number }): number {
  const value = number(env, name);
  if ((what === 'an integer' && !Number.isInteger(value)) || value < min || value > max) {
    throw new ConfigurationError(`environment variable ${name} must be ${what} from ${min} to ${max}, got ${env[name]}`);
  }
  return value;
}

export function number(env: Environment, name: string): number {
  const text = required(env, name);
  const value = Number(text);
  if (!Number.isFinite(value)) throw new ConfigurationError(`environment variable ${name} must be a number, got ${text}`);
  return value;
}

function oneOf<T extends string>(env: Environment, name: string, allowed: readonly T[]): T {
  const text = required(env, name);
  const found = allowed.find((value) => value === text);
  if (!found) throw new ConfigurationError(`environment variable ${name} must be one of ${allowed.join(', ')}, got ${text}`);
  return found;
}

function strings(env: Environment, name: string): readonly string[] {
  if (!env[name]) return [];
  const value = json<unknown>(env, name);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw new ConfigurationError(`environment variable ${name} must be a JSON array of strings, got ${env[name]}`);
  }
  return value;
}

const MINUTE = 60_000;
const UNITS: Readonly<Record<string, number>> = {
  minute: MINUTE, minutes: MINUTE, hour: 60 * MINUTE, hours: 60 * MINUTE, day: 1440 * MINUTE, days: 1440 * MINUTE,
};

/** The functions are given the schedule's own expression, so that a token in it needs no arithmetic at synth. */
function rateInMilliseconds(env: Environment, name: string): number {
  const text = required(env, name);
  const match = /^rate\(([1-9]\d*) (\w+)\)$/.exec(text);
  const unit = match && UNITS[match[2]!];
  if (!match || !unit) throw new ConfigurationError(`environment variable ${name} must look like rate(30 minutes), got ${text}`);
  return Number(match[1]) * unit;
}
