import { isOver } from '../shared/span';

/** What GitHub says of the primary rate limit of one App installation or one token. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  /** milliseconds since the epoch, by GitHub's clock */
  readonly resetAt: number;
  /** by ours */
  readonly seenAt: number;
}

/** No wait that GitHub asks for is taken to be longer: an absurd answer must not stop a warm process for as long as it lives. */
export const QUOTA_WINDOW_MS = 3_600_000;

export type Headers = Readonly<Record<string, string | number | undefined>>;

/**
 * Functions that share an App learn of each other's requests only from the next answer of their own: discovery and two
 * confirmations may each be one request late. Without this the reserve would be touched.
 */
const REQUESTS_OF_OTHERS = 3;

/**
 * Undefined when the answer does not say: a GitHub Enterprise Server without limits sends no such headers. Other resources
 * (search, GraphQL) have quotas of their own.
 */
export function quotaOf(headers: Headers, now: number): Quota | undefined {
  if ((headers['x-ratelimit-resource'] ?? 'core') !== 'core') return undefined;
  const limit = count(headers['x-ratelimit-limit']);
  const remaining = count(headers['x-ratelimit-remaining']);
  const reset = count(headers['x-ratelimit-reset']);
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, resetAt: reset * 1000, seenAt: now };
}

/** Answers to parallel requests arrive in any order; within one window the quota only shrinks. */
export function newerQuota(known: Quota | undefined, seen: Quota | undefined): Quota | undefined {
  if (!known || !seen) return seen ?? known;
  if (isPast(known, seen.seenAt)) return seen;
  if (seen.resetAt !== known.resetAt) return seen.resetAt > known.resetAt ? seen : known;
  return seen.remaining < known.remaining ? seen : known;
}

/** Unknown, and past its reset, is full. */
export function remainingOf(quota: Quota | undefined, now: number): number {
  return quota && !isPast(quota, now) ? quota.remaining : Infinity;
}

/** Whether one more request would take what is left for registering runners. */
export function isAtReserve(quota: Quota | undefined, reserve: number, inFlight: number, now: number): boolean {
  if (!quota || isPast(quota, now)) return false;
  const kept = reserve > 0 ? quota.limit * reserve + REQUESTS_OF_OTHERS : 0;
  return quota.remaining - inFlight <= kept;
}

function isPast({ seenAt, resetAt }: Quota, now: number): boolean {
  return isOver({ since: seenAt, until: Math.min(resetAt, seenAt + QUOTA_WINDOW_MS) }, now);
}

function count(value: string | number | undefined): number | undefined {
  const text = String(value ?? '').trim();
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
