import type { Octokit } from '@octokit/core';
import { classify, ownError } from './classify';
import type { AnsweredRefusal, RateLimit, Refusal, Transient, Unauthenticated } from './classify';
import type { TokenCredential } from './credentials';
import type { InvocationDeadline } from './fetch';
import type { Headers } from './quota';
import type { Clock } from '../shared/deadline';
import { DeadlineError } from '../shared/errors';

/** GitHub during one invocation: an Octokit without credentials of its own, whose fetch ends with the invocation. */
export interface Connection {
  readonly octokit: Octokit;
  readonly deadline: InvocationDeadline;
}

export interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly data: unknown;
}

/** What every call of an Octokit method is given; the token goes along with this request only. */
export interface Authorization {
  readonly headers: { readonly authorization: string };
}

/** One request, by a typed method of Octokit or by its route. */
export type Call<T extends Response> = (octokit: Octokit, authorization: Authorization) => Promise<T>;

/** The credential itself does not work, whatever is asked for with it. */
export interface Trouble {
  readonly kind: 'trouble';
  readonly reason: 'authentication' | 'notInstalled';
  /** GitHub did not recognise the key or token: it may have been rotated */
  readonly unrecognised: boolean;
  readonly message: string;
  readonly cause: unknown;
}

/** No token could be had just now; the next attempt may be better, another App may be better still. */
export interface Stumble {
  readonly kind: 'stumble';
  readonly message: string;
  readonly cause: unknown;
}

export type NoToken = Trouble | Stumble | RateLimit;

/** A write that was not carried out for want of a token that works, see `Client.write`. */
export interface Tokenless {
  readonly kind: 'tokenless';
  readonly message: string;
  readonly cause: unknown;
}

export type Reply<T extends Response> = { readonly kind: 'answer'; readonly response: T } | RateLimit | AnsweredRefusal | Transient | Trouble | Stumble;

/** One App or one token. No method throws anything but a DeadlineError. */
export interface Client {
  /** A request that changes nothing: repeated where authentication asks for it. */
  send<T extends Response>(connection: Connection, call: Call<T>): Promise<Reply<T>>;
  /**
   * One request with the token at hand, or none. It is never repeated, and no other token is waited for: until that comes, whatever was
   * read before the write grows old.
   */
  write<T extends Response>(connection: Connection, call: Call<T>): Promise<Reply<T> | Tokenless>;
  /** Sees to it that the next write has a token at hand; undefined: it has. */
  prepare(connection: Connection): Promise<NoToken | undefined>;
}

/** A personal access token: there is nothing to mint and nothing to repeat. */
export class TokenClient implements Client {
  constructor(private readonly credential: TokenCredential, private readonly now: Clock) {}

  async send<T extends Response>(connection: Connection, call: Call<T>): Promise<Reply<T>> {
    const reply = await attempt(() => call(connection.octokit, bearer(this.credential.token)), this.now);
    return reply.kind === 'unauthenticated' ? refusedToken(reply) : reply;
  }

  write<T extends Response>(connection: Connection, call: Call<T>): Promise<Reply<T>> {
    return this.send(connection, call);
  }

  async prepare(): Promise<undefined> {}
}

export async function attempt<T>(call: () => Promise<T>, now: Clock): Promise<{ readonly kind: 'answer'; readonly response: T } | Refusal> {
  try {
    return { kind: 'answer', response: await call() };
  } catch (error) {
    const own = ownError(error);
    if (own instanceof DeadlineError) throw own;
    return classify(error, now());
  }
}

export function bearer(token: string): Authorization {
  return { headers: { authorization: `bearer ${token}` } };
}

export function refusedToken({ message, cause }: Unauthenticated): Trouble {
  return { kind: 'trouble', reason: 'authentication', unrecognised: true, message: `the token is refused: ${message}`, cause };
}
