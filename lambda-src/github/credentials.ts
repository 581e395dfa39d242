import type { KeyObject } from 'node:crypto';
import { urlOfDomain } from './hosts';
import { parsePrivateKey } from './private-key';
import { parseApp, parseAppSecret, parseCdkGithubRunnersSecret, parseSsmManifest, parseTokenSecret } from './secret-shapes';
import type { AppSecret } from './secret-shapes';
import type { CredentialsConfig } from '../../src/contract/janitor-config';
import type { Environment } from '../shared/config';
import { required } from '../shared/config';
import { ConfigurationError, describeError, JanitorError, TransientError } from '../shared/errors';

export interface AppCredential {
  readonly kind: 'app';
  /** `app 123`: what logs and reports call it */
  readonly name: string;
  readonly appId: string;
  readonly key: KeyObject;
  /** looked up at GitHub when it is not configured */
  readonly installationId: number | undefined;
  readonly sources: Sources;
}

/** Every place that says that this credential is to be used: ARNs or parameter names. */
type Sources = readonly string[];

export interface TokenCredential {
  readonly kind: 'token';
  readonly name: string;
  readonly token: string;
  readonly sources: Sources;
}

export type Credential = AppCredential | TokenCredential;

/** One credential that could not be loaded; the others are not affected. */
export interface LoadError {
  /** where it is kept: an ARN or a parameter name, never what it holds */
  readonly source: string;
  readonly message: string;
  /** a failed read may succeed later; content that is wrong needs somebody to mend it */
  readonly transient: boolean;
  /** name of the only credential that it can be, where so much could be read */
  readonly credential: string | undefined;
}

export interface LoadedCredentials {
  readonly credentials: readonly Credential[];
  readonly errors: readonly LoadError[];
  /** the host for which the credentials were issued: an address, nothing where their form names none, or unknown because they could not be read */
  readonly host: { readonly githubUrl: string | undefined } | 'unknown';
}

/** Where secrets are kept. Both throw when there is nothing to read, and stop when the signal says so. */
export interface SecretReader {
  readSecret(arn: string, signal: AbortSignal): Promise<string>;
  readParameter(name: string, signal: AbortSignal): Promise<string>;
}

/**
 * The contract names environment variables; this puts their values in place of the names.
 *
 * @throws ConfigurationError naming the variable that is missing, or that would give the credentials to anybody in between
 */
export function resolveCredentials(config: CredentialsConfig, env: Environment): CredentialsConfig {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    throw new ConfigurationError('environment variable NODE_TLS_REJECT_UNAUTHORIZED must not be 0: trust a private authority with NODE_EXTRA_CA_CERTS instead');
  }
  switch (config.kind) {
    case 'apps': return { kind: 'apps', secrets: config.secrets.map((name) => required(env, name)) };
    case 'token': return { kind: 'token', secret: required(env, config.secret) };
    case 'ssmManifest': return { kind: 'ssmManifest', parameter: required(env, config.parameter) };
    case 'cdkGithubRunners':
      return { kind: 'cdkGithubRunners', secret: required(env, config.secret), privateKey: required(env, config.privateKey) };
  }
}

/**
 * Never throws: each credential that fails is one error and leaves the others alone.
 *
 * @param signal made anew for every read
 */
export async function loadCredentials(config: CredentialsConfig, reader: SecretReader, signal: () => AbortSignal): Promise<LoadedCredentials> {
  const read: Read = { secret: (arn) => reader.readSecret(arn, signal()), parameter: (name) => reader.readParameter(name, signal()) };
  switch (config.kind) {
    case 'apps': return collect(config.secrets.map((arn) => [arn, () => appFromSecret(arn, read)]));
    case 'token': return collect([[config.secret, () => tokenFromSecret(config.secret, read)]]);
    case 'cdkGithubRunners': return fromCdkGithubRunners(config.secret, config.privateKey, read);
    case 'ssmManifest': return fromSsmManifest(config.parameter, read);
  }
}

const UNNAMED = { githubUrl: undefined };

interface Read {
  secret(arn: string): Promise<string>;
  parameter(name: string): Promise<string>;
}

async function appFromSecret(arn: string, read: Read): Promise<Credential> {
  return app(parseAppSecret(await reading(read.secret(arn))), [arn]);
}

async function tokenFromSecret(arn: string, read: Read): Promise<Credential> {
  return token(parseTokenSecret(await reading(read.secret(arn))), [arn]);
}

async function fromCdkGithubRunners(secretArn: string, keyArn: string, read: Read): Promise<LoadedCredentials> {
  let githubUrl: string | undefined;
  const loaded = await collect([[secretArn, async () => {
    const secret = parseCdkGithubRunnersSecret(await reading(read.secret(secretArn)));
    githubUrl = urlOfDomain(secret.domain);
    // the order in which cdk-github-runners itself decides
    if (secret.personalAuthToken !== undefined) return token(secret.personalAuthToken, [secretArn]);
    const privateKey = await reading(read.secret(keyArn), nameOf(secret.appId));
    return app({ appId: secret.appId, privateKey, installationId: undefined }, [secretArn]);
  }]]);
  return { ...loaded, host: githubUrl === undefined ? 'unknown' : { githubUrl } };
}

async function fromSsmManifest(parameter: string, read: Read): Promise<LoadedCredentials> {
  try {
    const entries = parseSsmManifest(await reading(read.parameter(parameter)));
    return await collect(entries.map((entry) => [entry.keyParamName, async () => {
      const { idParamName, keyParamName, installationIdParamName } = entry;
      // first, and alone: when the others fail it tells which App they are about
      const appId = await reading(read.parameter(idParamName));
      const name = nameOf(appId.trim());
      const [privateKey, installationId] = await Promise.all([
        reading(read.parameter(keyParamName), name),
        installationIdParamName === undefined ? undefined : reading(read.parameter(installationIdParamName), name),
      ]);
      return app(parseApp({ appId, privateKey, installationId }), [parameter, keyParamName]);
    }]));
  } catch (error) {
    return { credentials: [], errors: [loadError(parameter, error)], host: UNNAMED };
  }
}

function app({ appId, privateKey, installationId }: AppSecret, sources: Sources): AppCredential {
  return { kind: 'app', name: nameOf(appId), appId, key: parsePrivateKey(privateKey), installationId, sources };
}

function nameOf(appId: string): string {
  return `app ${appId}`;
}

function token(text: string, sources: Sources): TokenCredential {
  return { kind: 'token', name: 'token', token: text, sources };
}

class UnreadableError extends TransientError {
  constructor(readonly credential: string | undefined, cause: unknown) {
    super(`cannot be read: ${describeError(cause)}`, { cause });
  }
}

/** @param credential name of the one it is about, if that is known already */
async function reading(text: Promise<string>, credential?: string): Promise<string> {
  try {
    return await text;
  } catch (cause) {
    if (cause instanceof JanitorError) throw cause;
    throw new UnreadableError(credential, cause);
  }
}

type Source = readonly [source: string, load: () => Promise<Credential>];

async function collect(sources: readonly Source[]): Promise<LoadedCredentials> {
  const results = await Promise.all(sources.map(async ([source, load]) => {
    try {
      return await load();
    } catch (error) {
      return loadError(source, error);
    }
  }));
  const credentials = new Map<string, Credential>();
  // the same App twice would have its quota counted twice
  for (const result of results) if ('kind' in result && !credentials.has(result.name)) credentials.set(result.name, result);
  return { credentials: [...credentials.values()], errors: results.filter((result) => 'source' in result), host: UNNAMED };
}

function loadError(source: string, error: unknown): LoadError {
  // only messages of our own are known to repeat nothing of the secret
  const message = error instanceof JanitorError ? error.message : `unexpected ${error instanceof Error ? error.name : typeof error}`;
  return { source, message, transient: error instanceof TransientError, credential: error instanceof UnreadableError ? error.credential : undefined };
}
