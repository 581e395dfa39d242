import type { AnsweredRefusal } from './classify';
import type { Call, Connection, NoToken, Response } from './client';
import type { Credential, LoadError } from './credentials';
import type { PoolMember } from './pool-member';
import type { Quota } from './quota';
import { Tried } from './tried';
import type { Log } from '../janitor/ports';
import type { Clock } from '../shared/deadline';
import {
  DeadlineError, LimitError, NoCredentialError, NotFoundError, PermissionError, QuotaReserveError, ReadAgainError, TransientError,
} from '../shared/errors';
import type { Sleep } from '../shared/retry';
import { isOver } from '../shared/span';

export interface PoolSessionOptions {
  readonly connection: Connection;
  readonly apiUrl: string;
  readonly members: () => readonly PoolMember[];
  readonly reread: () => Promise<readonly LoadError[]>;
  readonly loadErrors: readonly LoadError[];
  readonly quotaReserve: number;
  readonly sticky: boolean;
  readonly log: Log;
  readonly now: Clock;
  readonly sleep: Sleep;
}

/**
 * What a refusal means for the request: `answer` hands it to the caller, `next` asks another App, `out` asks another App
 * and leaves this one alone for the rest of the invocation, `again` asks another App, and this one may do it in a moment, `unsure` asks
 * another App, and where none is left nobody knows.
 */
export type OnRefusal = (refusal: AnsweredRefusal, app: string) => Meaning | Promise<Meaning>;
export type Meaning = 'answer' | 'next' | 'out' | 'again' | 'unsure';

export type Rank = (app: string) => number;

export interface RequestOptions {
  readonly onRefusal: OnRefusal;
  /** Apps with a lower rank are asked first, whatever quota the others have */
  readonly rank?: Rank;
  /** the only App that may be asked; it is not waited for */
  readonly only?: string;
  /**
   * A write follows a read that says it may be done: it fails when no App can send it at once, instead of waiting for a limit or for a
   * token, because after that the read would no longer be the last word. See `turnToWrite`.
   */
  readonly isWrite?: boolean;
}

/** `app` is the name of the credential that was answered. */
export type PoolAnswer<T extends Response> = { readonly app: string } & ({ readonly response: T } | { readonly refusal: AnsweredRefusal });

/** One reason why an App, or a credential that should have become one, was of no or little use in this invocation. */
export interface CredentialTrouble {
  /** name of the App, or the place from which it could not be loaded */
  readonly credential: string;
  readonly reason: 'load' | 'authentication' | 'notInstalled' | 'permission' | 'stumble' | 'limit' | 'reserve';
  readonly message: string;
}

/** The more often the same App limits one and the same request, the less is gained by asking again. */
const LIMITS_PER_REQUEST = 2;

/** So long a read is the last word on a write; an answer that took longer hands the write to nobody else. */
const LAST_WORD_MS = 1000;

/** The pool during one invocation: chooses an App for each request and fails over where another App may do better. */
export class PoolSession {
  private readonly out = new Map<string, NoCredentialError | PermissionError>();
  private readonly troubles = new Map<string, CredentialTrouble>();
  private current: string | undefined;
  /** the Apps whose turn to write was waited for last */
  private writers: ReadonlySet<string> = new Set();

  constructor(private readonly options: PoolSessionOptions) {
    this.noteLoadErrors(options.loadErrors);
  }

  get apiUrl(): string {
    return this.options.apiUrl;
  }

  get trouble(): readonly CredentialTrouble[] {
    return [...this.troubles.values()];
  }

  /** Those that may be sent to this host. */
  get credentials(): readonly Credential[] {
    return this.options.members().map(({ credential }) => credential);
  }

  /** What is known of each App's quota; undefined where GitHub does not say. */
  get quotas(): Readonly<Record<string, Quota | undefined>> {
    return Object.fromEntries(this.options.members().map(({ name, quota }) => [name, quota]));
  }

  /**
   * One request, answered by one App.
   *
   * @param what how errors and logs call it: method and path
   * @throws one of shared/errors when no App gave an answer; ReadAgainError only for a write
   */
  async request<T extends Response>(what: string, call: Call<T>, options: RequestOptions): Promise<PoolAnswer<T>> {
    const { isWrite = false, onRefusal } = options;
    const tried = new Tried(this.options.now());
    for (;;) {
      const member = await this.choose(what, options, tried);
      const reply = await member.send(this.options.connection, call, isWrite);
      if (reply.kind === 'answer') return { app: member.name, response: reply.response };
      if (reply.kind === 'transient') throw new TransientError(`${what}: ${reply.message}`, { cause: reply.cause });
      if (reply.kind === 'tokenless') throw readAgain(what, member, reply);
      const isAboutApp = reply.kind === 'limit' || reply.kind === 'stumble' || reply.kind === 'trouble';
      if (isAboutApp) await this.setAside(what, member, reply, tried);
      else if (await this.isAnswer(what, member, reply, onRefusal, tried)) return { app: member.name, refusal: reply };
      // only a limit hands a write over at once: after a refused credential its successor was looked for first
      if (isAboutApp && isWrite && reply.kind !== 'limit') throw readAgain(what, member, reply);
    }
  }

  /**
   * Waits until the App that would send a write now may send it and has a token for it; to be called before the read that the write
   * follows. `all`: until every App that is ready may and has, for a write that must not find one that is not.
   *
   * @throws DeadlineError when that is too late for a write in this invocation
   */
  async turnToWrite(what: string, rank: Rank, whom: 'next' | 'all'): Promise<void> {
    const { sleep, connection: { deadline } } = this.options;
    deadline.check(what);
    const writers = await this.prepareToWrite(what, rank, whom);
    const pause = Math.max(0, ...writers.map(({ pacer }) => pacer.pause));
    if (!deadline.isOpen(pause)) throw new DeadlineError(`no time left for the pause before ${what}`);
    if (pause > 0) await sleep(pause);
    this.writers = new Set(writers.map(({ name }) => name));
  }

  /** Waits for the first that may be asked again where nobody is ready. Nobody where none will be in time: the read that comes next says why. */
  private async prepareToWrite(what: string, rank: Rank, whom: 'next' | 'all'): Promise<readonly PoolMember[]> {
    const { members, now, sleep, connection } = this.options;
    const prepared: PoolMember[] = [];
    const tried = new Tried(now());
    while (whom === 'all' || prepared.length === 0) {
      const left = this.open(members(), tried).filter((member) => !prepared.includes(member));
      const { ready, wait } = this.readiness(left);
      const next = this.best(this.unlessAtReserve(ready), rank);
      if (!next && prepared.length === 0 && Number.isFinite(wait) && connection.deadline.isOpen(wait)) {
        await sleep(wait);
        continue;
      }
      // one that hangs must not hold up what another one can do
      if (!next || (next.hasStumbled && prepared.length > 0)) break;
      const refusal = await next.prepare(connection);
      if (refusal) await this.setAside(what, next, refusal, tried);
      else prepared.push(next);
    }
    return prepared;
  }

  private async setAside(what: string, member: PoolMember, reply: NoToken, tried: Tried): Promise<void> {
    // another key was found: the App comes back with it
    if (reply.kind === 'trouble' && reply.unrecognised && await this.isReplaced(member)) return;
    const message = `${what} (${member.name}): ${reply.message}`;
    const options = { cause: reply.cause };
    this.note(member.name, reply.kind === 'trouble' ? reply.reason : reply.kind, message);
    if (reply.kind === 'trouble') this.out.set(member.name, new NoCredentialError(message, options));
    else if (reply.kind === 'stumble') tried.add(member.name, new TransientError(message, options));
    else if (tried.limits(member.name) >= LIMITS_PER_REQUEST) tried.add(member.name, new LimitError(message, options));
  }

  private async isAnswer(what: string, member: PoolMember, refusal: AnsweredRefusal, onRefusal: OnRefusal, tried: Tried): Promise<boolean> {
    const verdict = await onRefusal(refusal, member.name);
    if (verdict === 'answer') return true;
    const message = `${what} (${member.name}): ${refusal.message}`;
    if (verdict === 'out') {
      this.note(member.name, 'permission', message);
      this.out.set(member.name, new PermissionError(message, { cause: refusal.cause }));
    } else {
      tried.add(member.name, errorOf(verdict, what, member, refusal));
    }
    return false;
  }

  /** The App for the next attempt; waits for one only if that leaves time to do something with it. */
  private async choose(what: string, { rank, only, isWrite = false }: RequestOptions, tried: Tried): Promise<PoolMember> {
    const { members, now, sleep, connection: { deadline } } = this.options;
    for (;;) {
      deadline.check(what);
      const allowed = members().filter(({ name }) => only === undefined || name === only);
      const open = this.open(allowed, tried);
      if (open.length === 0) throw tried.reason() ?? this.nobody(what, allowed);
      const { ready, wait } = this.readiness(open);
      const usable = this.unlessAtReserve(ready);
      const best = this.best(isWrite ? usable.filter((member) => this.mayWrite(member)) : usable, rank);
      if (best && isWrite && isOver({ since: tried.since, until: tried.since + LAST_WORD_MS }, now())) throw readAgain(what, best, TOO_LATE);
      if (best) {
        // before anything else is chosen: requests at the same time stay with one App as well
        this.current = best.name;
        return best.claim();
      }
      if (isWrite && usable.length > 0) throw tried.doubt() ?? new TransientError(`${what}: no App has been without a write for long enough`);
      if (isWrite || only !== undefined || !Number.isFinite(wait) || !deadline.isOpen(wait)) throw tried.doubt() ?? nobodyInTime(what, ready, open);
      await sleep(wait);
    }
  }

  private open(members: readonly PoolMember[], tried: Tried): readonly PoolMember[] {
    return members.filter(({ name }) => !this.out.has(name) && !tried.has(name));
  }

  /** Who may be asked at once, and the milliseconds until another one may: infinitely many where there is none. */
  private readiness(members: readonly PoolMember[]): { readonly ready: readonly PoolMember[]; readonly wait: number } {
    const now = this.options.now();
    const ready = members.filter(({ readyAt }) => readyAt <= now);
    return { ready, wait: Math.min(...members.filter((member) => !ready.includes(member)).map(({ readyAt }) => readyAt - now)) };
  }

  private unlessAtReserve(members: readonly PoolMember[]): readonly PoolMember[] {
    const above = members.filter((member) => !member.isAtReserve(this.options.quotaReserve));
    if (above.length === 0) {
      for (const { name } of members) this.note(name, 'reserve', `${name} is down to the quota that is reserved for registering runners`);
    }
    return above;
  }

  /** Whoever was waited for has had its pause, whatever the clock says. */
  private mayWrite({ name, pacer }: PoolMember): boolean {
    return this.writers.has(name) || pacer.pause === 0;
  }

  private best(members: readonly PoolMember[], rank: Rank = () => 0): PoolMember | undefined {
    const order = (member: PoolMember): readonly number[] => [
      member.hasStumbled ? 1 : 0,
      rank(member.name),
      this.options.sticky && member.name === this.current ? 0 : 1,
      -member.remaining,
    ];
    // stable: among equals the order of the configuration decides
    return [...members].sort((one, other) => compare(order(one), order(other)))[0];
  }

  private async isReplaced(member: PoolMember): Promise<boolean> {
    this.noteLoadErrors(await this.options.reread());
    return !this.options.members().includes(member);
  }

  private nobody(what: string, members: readonly PoolMember[]): Error {
    const reasons = members.flatMap(({ name }) => this.out.get(name) ?? []);
    const permission = reasons.find((reason) => reason instanceof PermissionError);
    if (permission) return permission;
    const causes = [...reasons.map(({ message }) => message), ...this.trouble.filter(({ reason }) => reason === 'load').map(({ message }) => message)];
    return new NoCredentialError(`${what}: no credential is usable: ${[...new Set(causes)].join('; ') || 'none is configured'}`);
  }

  private noteLoadErrors(errors: readonly LoadError[]): void {
    for (const { source, message } of errors) this.note(source, 'load', `${source}: ${message}`);
  }

  /** Each kind of trouble is told once. */
  note(credential: string, reason: CredentialTrouble['reason'], message: string): void {
    const key = `${reason} ${credential}`;
    if (!this.troubles.has(key)) this.options.log.warn(message, { credential, reason });
    this.troubles.set(key, { credential, reason, message });
  }
}

function readAgain(what: string, { name }: PoolMember, { message, cause }: { readonly message: string; readonly cause: unknown }): ReadAgainError {
  return new ReadAgainError(`${what} (${name}): ${message}; what was read before it has to be read again`, { cause });
}

const TOO_LATE = { message: 'another App took too long to refuse it', cause: undefined };

function errorOf(meaning: Meaning, what: string, member: PoolMember, refusal: AnsweredRefusal) {
  if (meaning === 'again') return readAgain(what, member, refusal);
  const message = `${what} (${member.name}): ${refusal.message}`;
  const options = { cause: refusal.cause };
  if (meaning === 'unsure') return new TransientError(message, options);
  return refusal.kind === 'notFound' ? new NotFoundError(message, options) : new PermissionError(message, options);
}

function nobodyInTime(what: string, atReserve: readonly PoolMember[], open: readonly PoolMember[]): Error {
  if (atReserve.length > 0) return new QuotaReserveError(`${what}: what is left of the quota is reserved for registering runners`);
  const until = new Date(Math.min(...open.map((member) => member.readyAt))).toISOString();
  if (open.some((member) => member.isCoolingAfterLimit)) return new LimitError(`${what}: every App is limited, the first one until ${until}`);
  return new NoCredentialError(`${what}: every App had authentication trouble a moment ago, the first one is tried again at ${until}`);
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [index, value] of one.entries()) {
    const difference = value - (other[index] ?? 0);
    // two unknown quotas: Infinity - Infinity
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return 0;
}
