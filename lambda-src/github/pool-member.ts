import { SECONDARY_COOL_DOWN_MS } from './classify';
import type { RateLimit } from './classify';
import type { Call, Client, Connection, NoToken, Reply, Response, Tokenless } from './client';
import type { Credential } from './credentials';
import { Pacer } from './pacer';
import { isAtReserve, newerQuota, quotaOf, remainingOf } from './quota';
import type { Headers, Quota } from './quota';
import type { Clock } from '../shared/deadline';
import { endOf, isOver, OVER } from '../shared/span';

/** After authentication trouble; separate from the cool-down of limits, so that one cannot shorten the other. */
const TROUBLE_COOL_DOWN_MS = 60_000;

/** GitHub wants the pause to grow while a secondary limit goes on. */
const LONGEST_COOL_DOWN_MS = 16 * SECONDARY_COOL_DOWN_MS;

/** One App or token, and what is known of it across invocations. */
export class PoolMember {
  quota: Quota | undefined;
  private limited = OVER;
  private limitsInARow = 0;
  private troubled = OVER;
  private stumbled = OVER;
  private inFlight = 0;

  /** `pacer`: of the member with the same name whose place this one takes, when its key was rotated */
  constructor(readonly credential: Credential, private client: Client, private readonly now: Clock, readonly pacer = new Pacer(now)) {}

  get name(): string {
    return this.credential.name;
  }

  /** When it may be asked again; 0 when it may be asked now. */
  get readyAt(): number {
    const now = this.now();
    return Math.max(endOf(this.limited, now), endOf(this.troubled, now));
  }

  get isCoolingAfterLimit(): boolean {
    return !isOver(this.limited, this.now());
  }

  /** Had no token a moment ago: asked only when nobody else is left. */
  get hasStumbled(): boolean {
    return !isOver(this.stumbled, this.now());
  }

  get remaining(): number {
    return remainingOf(this.quota, this.now()) - this.inFlight;
  }

  isAtReserve(reserve: number): boolean {
    return isAtReserve(this.quota, reserve, this.inFlight, this.now());
  }

  /** Counts a request from the moment this App is chosen for it: parallel ones must not all see the same quota. */
  claim(): this {
    this.inFlight++;
    return this;
  }

  /** Sees to it that a write need not wait for a token; undefined: it need not. */
  async prepare(connection: Connection): Promise<NoToken | undefined> {
    const refusal = await this.client.prepare(connection);
    if (refusal) this.remember(refusal);
    return refusal;
  }

  /** Sends what was claimed. */
  async send<T extends Response>(connection: Connection, call: Call<T>, isWrite: boolean): Promise<Reply<T> | Tokenless> {
    try {
      const reply = await this.client[isWrite ? 'write' : 'send'](connection, async (octokit, authorization) => {
        // only now: without a token at hand nothing is written
        if (isWrite) this.pacer.writes();
        try {
          const response = await call(octokit, authorization);
          this.note(response.headers);
          return response;
        } catch (error) {
          this.note((error as { response?: { headers?: Headers } }).response?.headers ?? {});
          throw error;
        }
      });
      this.remember(reply);
      return reply;
    } finally {
      this.inFlight--;
    }
  }

  private note(headers: Headers): void {
    this.quota = newerQuota(this.quota, quotaOf(headers, this.now()));
  }

  private remember(reply: Reply<Response> | Tokenless): void {
    const now = this.now();
    switch (reply.kind) {
      case 'limit': this.limited = { since: now, until: Math.max(endOf(this.limited, now), this.pausedUntil(reply, now)) }; break;
      case 'trouble': this.troubled = { since: now, until: now + TROUBLE_COOL_DOWN_MS }; break;
      case 'stumble': this.stumbled = { since: now, until: now + TROUBLE_COOL_DOWN_MS }; break;
      case 'answer':
        this.limitsInARow = 0;
        this.stumbled = OVER;
        break;
    }
  }

  private pausedUntil(limit: RateLimit, now: number): number {
    // a promise of "at once" that is broken again and again must not become a storm
    if (limit.until !== undefined) return Math.max(limit.until, now + 1000);
    // sent together with one that was limited: it is the same limit, and lasts as long
    if (this.isCoolingAfterLimit) return now;
    return now + Math.min(LONGEST_COOL_DOWN_MS, SECONDARY_COOL_DOWN_MS * 2 ** this.limitsInARow++);
  }
}
