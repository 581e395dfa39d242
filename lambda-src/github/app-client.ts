import { attempt, bearer, refusedToken } from './client';
import type { Call, Client, Connection, NoToken, Reply, Response, Tokenless } from './client';
import type { AppCredential } from './credentials';
import { InstallationTokens } from './installation-tokens';
import type { InstallationToken } from './installation-tokens';
import type { Clock } from '../shared/deadline';
import type { Sleep } from '../shared/retry';

export interface ClientOptions {
  readonly now: Clock;
  readonly sleep: Sleep;
}

/** A new token may be unknown for a moment to the server that is asked with it. */
export const REPLICATION_LAG_MS = 1000;
const FRESH_TOKEN_MS = 10_000;

/** A GitHub App in the one installation that covers the owner. */
export class AppClient implements Client {
  private readonly tokens: InstallationTokens;

  constructor(credential: AppCredential, owner: string, private readonly options: ClientOptions) {
    this.tokens = new InstallationTokens(credential, owner, options);
  }

  async send<T extends Response>(connection: Connection, call: Call<T>): Promise<Reply<T>> {
    const token = await this.tokens.current(connection);
    if (isRefusal(token)) return token;
    const reply = await this.sendWith(token, connection, call);
    if (reply.kind !== 'unauthenticated') return reply;
    // a token that was revoked, by a suspension for example, is not noticed by its age
    const renewed = await this.tokens.renew(connection, token);
    if (isRefusal(renewed)) return renewed;
    const second = await this.sendWith(renewed, connection, call);
    return second.kind === 'unauthenticated' ? refusedToken(second) : second;
  }

  async write<T extends Response>({ octokit }: Connection, call: Call<T>): Promise<Reply<T> | Tokenless> {
    const token = this.tokens.atHand;
    if (!token) return { kind: 'tokenless', message: 'no token is at hand', cause: undefined };
    const reply = await attempt(() => call(octokit, bearer(token.token)), this.options.now);
    if (reply.kind === 'permission') return { ...reply, mayBeLag: this.mayBeLag(token) };
    if (reply.kind !== 'unauthenticated') return reply;
    if (!this.mayBeLag(token)) {
      // what is refused so soon after the exchange, and not for the first time, no exchange will mend
      if (this.isFresh(token)) return refusedToken(reply);
      this.tokens.forget(token);
    }
    return { kind: 'tokenless', message: reply.message, cause: reply.cause };
  }

  async prepare(connection: Connection): Promise<NoToken | undefined> {
    const token = await this.tokens.current(connection);
    return isRefusal(token) ? token : undefined;
  }

  private async sendWith<T extends Response>(token: InstallationToken, { octokit }: Connection, call: Call<T>) {
    const { now, sleep } = this.options;
    const send = () => attempt(() => call(octokit, bearer(token.token)), now);
    await token.lag;
    const { lagSpent } = token;
    const reply = await send();
    if ((reply.kind !== 'unauthenticated' && reply.kind !== 'permission') || lagSpent || !this.isFresh(token)) return reply;
    token.lagSpent = true;
    // all that were sent before it share the pause, and have a retry each
    await (token.lag ??= sleep(REPLICATION_LAG_MS));
    return send();
  }

  /** True at most once for each token. */
  private mayBeLag(token: InstallationToken): boolean {
    if (token.lagSpent || !this.isFresh(token)) return false;
    token.lagSpent = true;
    return true;
  }

  private isFresh({ mintedAt }: InstallationToken): boolean {
    return this.options.now() - mintedAt < FRESH_TOKEN_MS;
  }
}

function isRefusal(token: InstallationToken | NoToken): token is NoToken {
  return 'kind' in token;
}
