import { QUOTA_WINDOW_MS, quotaOf } from './quota';
import type { Headers } from './quota';
import { describeError, JanitorError } from '../shared/errors';

/** GitHub asks for at least a minute after a secondary limit that does not say how long. */
export const SECONDARY_COOL_DOWN_MS = 60_000;

/** An answer that is no success. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly message: string;
}

/** What a failed request means. `notFound` and `unprocessable` are statuses only: GitHub's wording has changed over time. */
export type Refusal = RateLimit | Unauthenticated | AnsweredRefusal | Transient;

interface Described {
  /** with the status in front, if there was an answer */
  readonly message: string;
  readonly cause: unknown;
}

export interface RateLimit extends Described {
  readonly kind: 'limit';
  /** when GitHub wants to hear from us again, if it said so */
  readonly until: number | undefined;
}

export interface Unauthenticated extends Described {
  readonly kind: 'unauthenticated';
}

/** A refusal that may be about the thing asked for. */
export interface AnsweredRefusal extends Described {
  readonly kind: 'permission' | 'notFound' | 'unprocessable';
  /** of a write: its token is so new that the server may not have known it yet */
  readonly mayBeLag?: boolean;
}

/** Says nothing at all. */
export interface Transient extends Described {
  readonly kind: 'transient';
}

/** @param error what Octokit, or the fetch below it, has thrown */
export function classify(error: unknown, now: number): Refusal {
  const answer = failedAnswer(error);
  if (!answer) return { kind: 'transient', message: messageOf(error), cause: error };
  const { status } = answer;
  const refusal = { message: `${status} ${shortened(answer.message)}`, cause: error };
  if (isRateLimit(answer)) return { ...refusal, kind: 'limit', until: limitedUntil(answer, now) };
  if (status === 401) return { ...refusal, kind: 'unauthenticated' };
  if (status === 403) return { ...refusal, kind: 'permission' };
  if (status === 404) return { ...refusal, kind: 'notFound' };
  if (status === 422) return { ...refusal, kind: 'unprocessable' };
  return { ...refusal, kind: 'transient' };
}

/**
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api: a secondary limit can come with quota
 * left and without retry-after, and a missing permission carries quota headers too.
 */
export function isRateLimit({ status, headers, message }: FailedAnswer): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return headers['retry-after'] !== undefined || isExhausted(headers) || /rate limit|abuse detection/i.test(message);
}

/** `retry-after`, else the reset of an exhausted quota, else unknown; never later than the quota's window can end. */
export function limitedUntil({ headers }: FailedAnswer, now: number): number | undefined {
  const wait = retryAfterMs(headers['retry-after'], now) ?? untilReset(headers, now);
  return wait === undefined ? undefined : now + Math.min(wait, QUOTA_WINDOW_MS);
}

function untilReset(headers: Headers, now: number): number | undefined {
  const quota = quotaOf(headers, now);
  return quota?.remaining === 0 && quota.resetAt > now ? quota.resetAt - now : undefined;
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(value: string | number | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(String(value))) return Number(value) * 1000;
  const date = Date.parse(String(value));
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function isExhausted(headers: Headers): boolean {
  return String(headers['x-ratelimit-remaining'] ?? '') === '0';
}

/** Octokit reports failures without an answer as status 500 without `response`. */
function failedAnswer(error: unknown): FailedAnswer | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as { response?: { status?: unknown; headers?: unknown } };
  if (typeof response?.status !== 'number') return undefined;
  return { status: response.status, headers: (response.headers ?? {}) as Headers, message: error.message };
}

/** Octokit wraps what fetch throws; our own errors say it better. */
export function ownError(error: unknown): JanitorError | undefined {
  for (let inner: unknown = error; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof JanitorError) return inner;
  }
  return undefined;
}

function messageOf(error: unknown): string {
  const own = ownError(error);
  return shortened(own ? own.message : describeError(error));
}

/** An HTML page of a proxy would fill the log. */
function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}
