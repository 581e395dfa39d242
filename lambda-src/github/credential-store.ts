import { loadCredentials } from './credentials';
import type { Credential, LoadedCredentials, SecretReader } from './credentials';
import type { InvocationDeadline } from './fetch';
import type { CredentialsConfig } from '../../src/contract/janitor-config';
import type { Clock } from '../shared/deadline';

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
  private loadedAt = 0;
  private rereadAt = -Infinity;

  constructor(private readonly options: CredentialStoreOptions) {}

  async load(deadline: InvocationDeadline): Promise<LoadedCredentials> {
    const age = this.options.now() - this.loadedAt;
    if (this.loaded && age < (this.loaded.errors.length > 0 ? COOL_DOWN_MS : CACHE_MS)) return this.loaded;
    return this.read(deadline);
  }

  /** After GitHub has refused one: its key may have been rotated. At most once a minute. */
  async reread(deadline: InvocationDeadline): Promise<LoadedCredentials> {
    const now = this.options.now();
    if (this.loaded && now - this.rereadAt < COOL_DOWN_MS) return this.loaded;
    this.rereadAt = now;
    return this.read(deadline);
  }

  private async read(deadline: InvocationDeadline): Promise<LoadedCredentials> {
    deadline.check('reading credentials');
    const { config, reader, now } = this.options;
    const before = this.loaded;
    const loaded = await loadCredentials(config, reader, () => deadline.signal());
    this.loaded = before ? withThoseOf(before, loaded) : loaded;
    this.loadedAt = now();
    return this.loaded;
  }
}

/** A store that cannot be reached for a moment does not take away credentials that were good a moment ago. */
function withThoseOf(before: LoadedCredentials, loaded: LoadedCredentials): LoadedCredentials {
  if (!loaded.errors.some((error) => error.transient)) return loaded;
  const names = new Set(loaded.credentials.map((credential) => credential.name));
  const kept = before.credentials.filter((credential) => !names.has(credential.name));
  return { ...loaded, credentials: [...loaded.credentials, ...kept], host: loaded.host === 'unknown' ? before.host : loaded.host };
}

/** Whether both would be accepted or refused alike by GitHub. */
export function isSameCredential(one: Credential, other: Credential): boolean {
  if (one.kind === 'token') return other.kind === 'token' && one.token === other.token;
  return other.kind === 'app' && one.appId === other.appId && one.installationId === other.installationId && one.key.equals(other.key);
}
