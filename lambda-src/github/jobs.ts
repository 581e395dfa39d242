import { setTimeout as delay } from 'node:timers/promises';
import { AppPool } from './app-pool';
import { CredentialStore } from './credential-store';
import type { LoadedCredentials, SecretReader } from './credentials';
import type { InvocationDeadline } from './fetch';
import { JobsSession } from './jobs-session';
import type { CredentialsConfig } from '../../src/contract/janitor-config';
import type { Clock } from '../shared/deadline';
import type { Sleep } from '../shared/retry';
import type { Log } from '../stolen/ports';

export interface GitHubJobsOptions {
  /** undefined: the host that the credentials name, or github.com */
  readonly githubUrl: string | undefined;
  /** with ARNs and parameter names, see `resolveCredentials` */
  readonly credentials: CredentialsConfig;
  readonly reader: SecretReader;
  readonly log: Log;
  readonly now?: Clock;
  readonly sleep?: Sleep;
  readonly fetch?: typeof globalThis.fetch;
}

/** Strangers choose the owners, by what they print: so many are remembered. */
const MAX_OWNERS = 50;

/**
 * Jobs and runners of whatever repository a report names. Kept by a function as long as its process lives: an App has one
 * installation, and with it one token, for each owner.
 */
export class GitHubJobs {
  private readonly store: CredentialStore;
  private readonly pools = new Map<string, AppPool>();
  private readonly now: Clock;
  private readonly fetch: typeof globalThis.fetch;

  constructor(private readonly options: GitHubJobsOptions) {
    this.now = options.now ?? Date.now;
    this.fetch = options.fetch ?? globalThis.fetch;
    this.store = new CredentialStore({ config: options.credentials, reader: options.reader, now: this.now });
  }

  /** GitHub during one invocation. */
  session(deadline: InvocationDeadline): JobsSession {
    return new JobsSession({
      deadline,
      now: this.now,
      fetch: this.fetch,
      poolOf: async (owner) => this.pool(owner).session(deadline, { sticky: false }),
    });
  }

  private pool(owner: string): AppPool {
    const key = owner.toLowerCase();
    const pool = this.pools.get(key) ?? this.newPool(owner);
    // the one used last stands last
    this.pools.delete(key);
    this.pools.set(key, pool);
    for (const oldest of this.pools.keys()) {
      if (this.pools.size <= MAX_OWNERS) break;
      this.pools.delete(oldest);
    }
    return pool;
  }

  private newPool(owner: string): AppPool {
    const { githubUrl, log, sleep = async (milliseconds) => void await delay(milliseconds) } = this.options;
    const { store, now, fetch } = this;
    return new AppPool({
      store: {
        load: async (deadline) => forAnyOwner(await store.load(deadline)),
        reread: async (deadline) => forAnyOwner(await store.reread(deadline)),
      },
      owner,
      acceptsApps: true,
      githubUrl,
      // the few requests of a theft are what the reserve is for: they bring a runner
      quotaReserve: 0,
      log,
      now,
      sleep,
      fetch,
    });
  }
}

/** A configured installation belongs to one owner, so each App is asked for the one it has here. */
function forAnyOwner(loaded: LoadedCredentials): LoadedCredentials {
  return { ...loaded, credentials: loaded.credentials.map((credential) => credential.kind === 'app' ? { ...credential, installationId: undefined } : credential) };
}
