import type { Answer } from './answer';
import { failure } from './answer';

const WINDOW_MS = 3_600_000;

interface Bucket {
  readonly limit: number;
  readonly resetAt: number;
  used: number;
}

export interface QuotaFigures {
  readonly limit: number;
  readonly remaining: number;
  readonly used: number;
  /** seconds since the epoch */
  readonly reset: number;
}

/** The primary rate limit: so many requests an hour for each installation and each token. */
export class Quota {
  /** false: like a GHES without limits, no headers at all */
  enabled = true;

  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly now: () => number) {}

  /** Takes one request off; false: none was left. */
  charge(key: string, limit: number): boolean {
    const bucket = this.bucket(key, limit);
    if (bucket.used >= bucket.limit) return false;
    bucket.used++;
    return true;
  }

  remaining(key: string, limit: number): number {
    const bucket = this.bucket(key, limit);
    return bucket.limit - bucket.used;
  }

  setRemaining(key: string, limit: number, remaining: number): void {
    this.bucket(key, limit).used = limit - remaining;
  }

  headers(key: string, limit: number): Record<string, string> {
    return rateLimitHeaders(this.figures(key, limit));
  }

  figures(key: string, limit: number): QuotaFigures {
    const bucket = this.bucket(key, limit);
    return { limit: bucket.limit, remaining: bucket.limit - bucket.used, reset: Math.ceil(bucket.resetAt / 1000), used: bucket.used };
  }

  private bucket(key: string, limit: number): Bucket {
    const known = this.buckets.get(key);
    if (known && known.resetAt > this.now()) return known;
    const fresh = { limit, used: 0, resetAt: this.now() + WINDOW_MS };
    this.buckets.set(key, fresh);
    return fresh;
  }
}

export function rateLimitHeaders(figures: QuotaFigures): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...figures, resource: 'core' }).map(([name, value]) => [`x-ratelimit-${name}`, String(value)]));
}

/** GitHub uses both statuses for it. */
export function quotaExhausted(key: string, status = 403): Answer {
  return failure(status, `API rate limit exceeded for ${key}. If you reach out to GitHub Support for help, please include the request ID.`);
}
