import { loadCredentials } from './credentials';
import type { Credential, LoadedCredentials, LoadError, SecretReader } from './credentials';
import type { InvocationDeadline } from './fetch';
import type { CredentialsConfig } from '../../src/contract/janitor-config';
import type { Clock } from '../shared/deadline';
import { isOver, OVER } from '../shared/span';

const CACHE_MS = 5 * 60_000;

/** A credential that could not be loaded is tried again sooner, and a refused one is not read again more often than this. */
const COOL_DOWN_MS = 60_000;

export interface CredentialStoreOptions {
  /** with ARNs and parameter names, see `resolveCredentials` */
  readonly config: CredentialsConfig;
  readonly reader: SecretReader;
  readonly now: Clock;
}

/** The configured credentials, kept for five minutes across the invocations of a warm function. */
export class CredentialStore {
  private loaded: LoadedCredentials | undefined;
  private fresh = OVER;
  private lastReread = OVER;
  private rereading: Promise<LoadedCredentials> | undefined;

  constructor(private readonly options: CredentialStoreOptions) {}

  async load(deadline: InvocationDeadline): Promise<LoadedCredentials> {
    if (this.loaded && !isOver(this.fresh, this.options.now())) return this.loaded;
    return this.read(deadline);
  }

  /** After GitHub has refused one: its key may have been rotated. At most once a minute; who asks meanwhile waits for the same answer. */
  async reread(deadline: InvocationDeadline): Promise<LoadedCredentials> {
    const now = this.options.now();
    if (this.loaded && !isOver(this.lastReread, now)) return this.rereading ?? this.loaded;
    this.lastReread = { since: now, until: now + COOL_DOWN_MS };
    this.rereading = this.read(deadline);
    try {
      return await this.rereading;
    } finally {
      this.rereading = undefined;
    }
  }

  private async read(deadline: InvocationDeadline): Promise<LoadedCredentials> {
    deadline.check('reading credentials');
    const { config, reader, now } = this.options;
    const before = this.loaded;
    const loaded = await loadCredentials(config, reader, () => deadline.signal());
    this.loaded = before ? withThoseOf(before, loaded) : loaded;
    const since = now();
    this.fresh = { since, until: since + (loaded.errors.length > 0 ? COOL_DOWN_MS : CACHE_MS) };
    return this.loaded;
  }
}

/**
 * A store that cannot be reached for a moment does not take away credentials that were good a moment ago: those whose own place is
 * out of reach, and only for the host that they were loaded for.
 */
function withThoseOf(before: LoadedCredentials, loaded: LoadedCredentials): LoadedCredentials {
  const errors = loaded.errors.filter((error) => error.transient);
  if (errors.length === 0) return loaded;
  const host = loaded.host === 'unknown' ? before.host : loaded.host;
  if (addressOf(host) !== addressOf(before.host)) return loaded;
  const names = new Set(loaded.credentials.map((credential) => credential.name));
  const kept = before.credentials.filter((credential) => !names.has(credential.name) && errors.some((error) => mayBe(credential, error)));
  return { ...loaded, credentials: [...loaded.credentials, ...kept], host };
}

/** Whether what could not be loaded may be the same as before, as far as it could be read. */
function mayBe({ name, sources }: Credential, error: LoadError): boolean {
  return sources.includes(error.source) && (error.credential === undefined || error.credential === name);
}

function addressOf(host: LoadedCredentials['host']): string | undefined {
  return host === 'unknown' ? host : host.githubUrl;
}

/** Whether both would be accepted or refused alike by GitHub. */
export function isSameCredential(one: Credential, other: Credential): boolean {
  if (one.kind === 'token') return other.kind === 'token' && one.token === other.token;
  return other.kind === 'app' && one.appId === other.appId && one.installationId === other.installationId && one.key.equals(other.key);
}
