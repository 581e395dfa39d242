import { createAppAuth } from '@octokit/auth-app';
import type { ClientOptions } from './app-client';
import { REPLICATION_LAG_MS } from './app-client';
import { appJwt } from './app-jwt';
import type { CreateJwt } from './app-jwt';
import type { Refusal } from './classify';
import { attempt, bearer } from './client';
import type { Connection, NoToken } from './client';
import type { AppCredential } from './credentials';
import { inTurn } from './in-turn';
import { parseInstallationId } from './shapes';
import { TransientError } from '../shared/errors';

export interface InstallationToken {
  readonly token: string;
  readonly mintedAt: number;
  readonly expiresAt: number;
  /** the one pause for replication lag has begun */
  lagSpent: boolean;
  /** that pause */
  lag?: Promise<void>;
}

/** A token that would run out during the request is no use. */
const LEAST_LIFETIME_MS = 60_000;

type Found<T> = T | Refusal;

/** Installation tokens of one App for one owner, kept until shortly before they expire. */
export class InstallationTokens {
  private readonly createJwt: CreateJwt;
  private token: InstallationToken | undefined;
  private installationId: number | undefined;
  private minting: { readonly connection: Connection; readonly token: Promise<InstallationToken | NoToken> } | undefined;

  constructor(private readonly credential: AppCredential, private readonly owner: string, private readonly options: ClientOptions) {
    this.installationId = credential.installationId;
    this.createJwt = appJwt(credential.key, options.now);
  }

  async current(connection: Connection): Promise<InstallationToken | NoToken> {
    return this.atHand ?? this.mintOnce(connection, undefined);
  }

  /** One that can be used without asking anybody. */
  get atHand(): InstallationToken | undefined {
    return this.usable();
  }

  /** GitHub has refused it: the next one who needs a token gets another. */
  forget(refused: InstallationToken): void {
    if (this.token === refused) this.token = undefined;
  }

  /** Another token than the one GitHub has refused. */
  async renew(connection: Connection, refused: InstallationToken): Promise<InstallationToken | NoToken> {
    return this.usable(refused) ?? this.mintOnce(connection, refused);
  }

  private usable(except?: InstallationToken): InstallationToken | undefined {
    const { token } = this;
    return token && token !== except && token.expiresAt - this.options.now() > LEAST_LIFETIME_MS ? token : undefined;
  }

  /** One at a time: whoever needs a token meanwhile shares it, or the trouble. What ends with another invocation is nobody else's. */
  private async mintOnce(connection: Connection, except: InstallationToken | undefined): Promise<InstallationToken | NoToken> {
    if (this.minting?.connection === connection) return this.minting.token;
    const mine = { connection, token: this.mint(connection, except) };
    this.minting = mine;
    try {
      return await mine.token;
    } finally {
      if (this.minting === mine) this.minting = undefined;
    }
  }

  private async mint(connection: Connection, except: InstallationToken | undefined): Promise<InstallationToken | NoToken> {
    const known = this.installationId;
    const id = known ?? await this.lookUp(connection);
    if (typeof id !== 'number') return this.notFound(id);
    let minted = await this.mintFor(id, connection, except);
    if (isNotFound(minted) && known !== undefined) {
      // an App that was installed anew has another id
      const found = await this.lookUp(connection);
      if (typeof found !== 'number') return this.notFound(found);
      if (found !== known) minted = await this.mintFor(found, connection, except);
    }
    if ('kind' in minted) return this.refused('token exchange', minted);
    this.token = minted;
    return minted;
  }

  private mintFor(id: number, connection: Connection, except: InstallationToken | undefined): Promise<Found<InstallationToken>> {
    return inTurn(id, async () => {
      // somebody may have minted one while this waited for its turn
      const token = this.usable(except);
      if (token) return token;
      const first = await this.exchange(id, connection);
      if (!('kind' in first) || !['unauthenticated', 'permission', 'notFound'].includes(first.kind)) return this.keep(id, first);
      await this.options.sleep(REPLICATION_LAG_MS);
      return this.keep(id, await this.exchange(id, connection));
    });
  }

  private keep(id: number, found: Found<InstallationToken>): Found<InstallationToken> {
    if (!('kind' in found)) {
      this.token = found;
      this.installationId = id;
    }
    return found;
  }

  private async exchange(installationId: number, { octokit }: Connection): Promise<Found<InstallationToken>> {
    const { now } = this.options;
    // made anew each time: its request has to end with this invocation, and its own cache does not know our clock
    const auth = createAppAuth({ appId: this.credential.appId, createJwt: this.createJwt, request: octokit.request, log: octokit.log });
    const reply = await attempt(async () => {
      const { token, expiresAt } = await auth({ type: 'installation', installationId, refresh: true });
      if (typeof token !== 'string' || token === '' || Number.isNaN(Date.parse(expiresAt))) {
        throw new TransientError('wrong shape: token and expires_at must be strings, the second a date');
      }
      return { token, mintedAt: now(), expiresAt: Date.parse(expiresAt), lagSpent: false };
    }, now);
    return reply.kind === 'answer' ? reply.response : reply;
  }

  /** An organization, or else a user: both own repositories, and only the answer tells which one the owner is. */
  private async lookUp({ octokit }: Connection): Promise<Found<number>> {
    const { now } = this.options;
    const { jwt } = await this.createJwt(this.credential.appId);
    const ask = async (route: string) => {
      const reply = await attempt(async () => parseInstallationId('the installation', (await octokit.request(route, { owner: this.owner, ...bearer(jwt) })).data), now);
      return reply.kind === 'answer' ? reply.response : reply;
    };
    const found = await ask('GET /orgs/{owner}/installation');
    return isNotFound(found) ? ask('GET /users/{owner}/installation') : found;
  }

  /** Only the look-up can tell that an App is not installed: the token exchange answers 404 for a moment now and then. */
  private notFound(refusal: Refusal): NoToken {
    // what GitHub says when it does not know the App at all
    if (refusal.kind !== 'notFound' || /integration not found/i.test(refusal.message)) return this.refused('look-up of the installation', refusal);
    const { message, cause } = refusal;
    return { kind: 'trouble', reason: 'notInstalled', unrecognised: false, message: `the App is not installed for ${this.owner}: ${message}`, cause };
  }

  /** Whatever is refused here says nothing of the thing that was asked for: a 404 is never "gone". */
  private refused(what: string, refusal: Refusal): NoToken {
    const { kind, cause } = refusal;
    const text = `${what}: ${refusal.message}`;
    if (kind === 'limit') return { ...refusal, message: text };
    if (kind === 'transient') return { kind: 'stumble', message: text, cause };
    return { kind: 'trouble', reason: 'authentication', unrecognised: kind === 'unauthenticated', message: text, cause };
  }
}

function isNotFound(found: Found<unknown>): boolean {
  return typeof found === 'object' && found !== null && 'kind' in found && found.kind === 'notFound';
}
