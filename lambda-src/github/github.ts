import { setTimeout as delay } from 'node:timers/promises';
import { AppPool } from './app-pool';
import type { SessionOptions } from './app-pool';
import { CredentialStore } from './credential-store';
import type { SecretReader } from './credentials';
import type { InvocationDeadline } from './fetch';
import { GitHubRegistrations } from './runners';
import type { GitHubSession } from './runners';
import type { CredentialsConfig, ScopeConfig } from '../../src/contract/janitor-config';
import type { Log } from '../janitor/ports';
import type { Clock } from '../shared/deadline';
import type { Sleep } from '../shared/retry';

export interface GitHubConfig {
  /** undefined: the host that the credentials name, or github.com */
  readonly githubUrl: string | undefined;
  readonly scope: ScopeConfig;
  /** with ARNs and parameter names, see `resolveCredentials` */
  readonly credentials: CredentialsConfig;
  /** fraction of each App's limit that is left to whoever registers runners, 0 to 0.9 */
  readonly quotaReserve: number;
}

export interface GitHubOptions {
  readonly config: GitHubConfig;
  readonly reader: SecretReader;
  readonly log: Log;
  readonly now?: Clock;
  readonly sleep?: Sleep;
  readonly fetch?: typeof globalThis.fetch;
}

/** Kept by a function as long as its process lives: tokens, quotas and cool-downs outlast an invocation. */
export interface GitHub {
  /**
   * Credentials that cannot be loaded are trouble of the session; they become an error when a request finds no other one.
   *
   * @throws ConfigurationError when the address of GitHub cannot be used
   * @throws NoCredentialError when only credentials that cannot be loaded would say which host it is
   * @throws DeadlineError
   */
  session(deadline: InvocationDeadline, options?: Partial<SessionOptions>): Promise<GitHubSession>;
}

export function createGitHub({ config, reader, log, now = Date.now, sleep = defaultSleep, fetch = globalThis.fetch }: GitHubOptions): GitHub {
  const { githubUrl, scope, credentials, quotaReserve } = config;
  const pool = new AppPool({
    store: new CredentialStore({ config: credentials, reader, now }),
    owner: scope.owner,
    acceptsApps: scope.kind !== 'enterprise',
    githubUrl,
    quotaReserve,
    log,
    now,
    sleep,
    fetch,
  });
  return {
    session: async (deadline, { sticky = false } = {}) => new GitHubRegistrations(await pool.session(deadline, { sticky }), scope, log),
  };
}

const defaultSleep: Sleep = async (milliseconds) => void await delay(milliseconds);
