import { Octokit } from '@octokit/core';
import { AppClient } from './app-client';
import { TokenClient } from './client';
import { isSameCredential } from './credential-store';
import type { CredentialStore } from './credential-store';
import type { Credential, LoadedCredentials, LoadError } from './credentials';
import { hardenedFetch } from './fetch';
import type { InvocationDeadline } from './fetch';
import { apiUrl } from './hosts';
import { PoolMember } from './pool-member';
import { PoolSession } from './pool-session';
import type { Log } from '../janitor/ports';
import type { Clock } from '../shared/deadline';
import { ConfigurationError, NoCredentialError } from '../shared/errors';
import type { Sleep } from '../shared/retry';

export interface AppPoolOptions {
  readonly store: Pick<CredentialStore, 'load' | 'reread'>;
  /** organization, user or enterprise: each App is asked for its installation there */
  readonly owner: string;
  /** undefined: the host that the credentials name, or github.com */
  readonly githubUrl: string | undefined;
  /** fraction of each App's limit that is never used */
  readonly quotaReserve: number;
  /** false where GitHub accepts no App: enterprise runners */
  readonly acceptsApps: boolean;
  readonly log: Log;
  readonly now: Clock;
  readonly sleep: Sleep;
  readonly fetch?: typeof globalThis.fetch;
}

export interface SessionOptions {
  /** one App for the whole invocation, unless it fails over; otherwise each request goes to the App with most quota left */
  readonly sticky: boolean;
}

/** The Apps (or the token) for one owner on one host; lives as long as the process. */
export class AppPool {
  private members: readonly PoolMember[] = [];
  private api: string | undefined;

  constructor(private readonly options: AppPoolOptions) {}

  /**
   * The pool during one invocation. Credentials that cannot be loaded are trouble of the session, not errors.
   *
   * @throws DeadlineError
   * @throws ConfigurationError when the address of GitHub cannot be used
   * @throws NoCredentialError when only credentials that cannot be loaded would say which host it is
   */
  async session(deadline: InvocationDeadline, { sticky }: SessionOptions): Promise<PoolSession> {
    const { store, quotaReserve, log, now, sleep, fetch = globalThis.fetch } = this.options;
    const loadErrors = this.adopt(await store.load(deadline));
    const api = this.api!;
    const octokit = new Octokit({
      baseUrl: api,
      userAgent: 'cdk-github-runner-janitor',
      request: { fetch: hardenedFetch({ apiUrl: api, deadline, fetch }) },
      // every failure is judged and logged once, by the session
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    });
    return new PoolSession({
      connection: { octokit, deadline },
      apiUrl: api,
      // credentials of another host, found on re-reading, have to wait for a session with that host
      members: () => this.api === api ? this.members : [],
      reread: async () => this.adopt(await store.reread(deadline)),
      loadErrors,
      quotaReserve,
      sticky,
      log,
      now,
      sleep,
    });
  }

  /** Takes over what was loaded; an App whose credential is still the same keeps its token and all that is known of it. */
  private adopt(loaded: LoadedCredentials): readonly LoadError[] {
    const api = this.apiOf(loaded);
    const known = api === this.api ? this.members : [];
    this.api = api;
    const usable = loaded.credentials.filter(({ kind }) => kind === 'token' || this.options.acceptsApps);
    const memberOf = (credential: Credential) => known.find((member) => isSameCredential(member.credential, credential));
    this.members = usable.map((credential) => memberOf(credential) ?? this.join(credential, known));
    const refused = loaded.credentials.filter((credential) => !usable.includes(credential));
    const message = 'GitHub lets no App manage the runners of an enterprise, only a classic personal access token';
    return [...loaded.errors, ...refused.map(({ name }) => ({ source: name, message, transient: false, credential: name }))];
  }

  private join(credential: Credential, known: readonly PoolMember[]): PoolMember {
    const { owner, now, sleep } = this.options;
    const client = credential.kind === 'token' ? new TokenClient(credential, now) : new AppClient(credential, owner, { now, sleep });
    return new PoolMember(credential, client, now, known.find(({ name }) => name === credential.name)?.pacer);
  }

  private apiOf({ host, errors }: LoadedCredentials): string {
    const { githubUrl } = this.options;
    const configured = githubUrl === undefined ? undefined : apiUrl(githubUrl);
    if (host === 'unknown') {
      // a guess would make candidates of the real host look like somebody else's
      if (configured === undefined) throw new NoCredentialError(`the host of GitHub is not known: ${errors.map(describe).join('; ')}`);
      return configured;
    }
    const issued = host.githubUrl === undefined ? undefined : apiUrl(host.githubUrl);
    if (configured !== undefined && issued !== undefined && configured !== issued) {
      throw new ConfigurationError(`'githubUrl' is '${githubUrl}', but the credentials were issued by '${host.githubUrl}'`);
    }
    return configured ?? issued ?? apiUrl(undefined);
  }
}

function describe({ source, message }: LoadError): string {
  return `${source}: ${message}`;
}

function ignore(): void {}
