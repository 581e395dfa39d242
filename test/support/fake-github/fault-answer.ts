import type { Answer } from './answer';
import { failure, notAccessible } from './answer';
import type { FaultEffect } from './faults';
import { quotaExhausted, rateLimitHeaders } from './quota';
import type { QuotaAccount } from './quota-of';
import { secondaryLimitHit } from './secondary-limits';

/** The answer that stands in place of the real one; undefined: the request is served, whatever happens to its answer then. */
export function replacement<S>(effect: FaultEffect<S>, account: QuotaAccount | undefined, now: number): Answer | undefined {
  if (typeof effect === 'function') return undefined;
  if (typeof effect === 'object') return replacementByFields(effect);
  switch (effect) {
    case 'emptyBody': return { status: 200, body: '' };
    case 'html': return { status: 200, body: '<!DOCTYPE html><html><body>Unicorn!</body></html>', headers: { 'content-type': 'text/html; charset=utf-8' } };
    case 'wrongShape': return { status: 200, body: { data: {} } };
    case 'permission403': return notAccessible('organization_self_hosted_runners=write');
    case 'limit403': return withoutRemaining(403, account, now);
    case 'limit429': return withoutRemaining(429, account, now);
    case 'secondary403': return secondaryLimitHit();
    default: return undefined;
  }
}

/** The answer with booleans and numbers turned into strings, as a careless proxy or mock sends it. */
export function withWrongTypes(value: unknown): unknown {
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(withWrongTypes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withWrongTypes(inner)]));
}

type EffectByFields = Exclude<FaultEffect<never>, string | ((github: never, request: never) => void)>;

function replacementByFields(effect: EffectByFields): Answer | undefined {
  if ('retryAfter' in effect) return secondaryLimitHit({ 'retry-after': String(effect.retryAfter) }, effect.status);
  if (!('status' in effect)) return undefined;
  const { status, body, headers } = effect;
  return body === undefined ? failure(status, MESSAGES[status] ?? 'Server Error', headers) : { status, body, ...(headers && { headers }) };
}

/** The real quota is not touched: only this answer says that nothing is left. */
function withoutRemaining(status: number, account: QuotaAccount | undefined, now: number): Answer {
  const { key, limit } = account ?? { key: '127.0.0.1', limit: 60 };
  const figures = { limit, remaining: 0, used: limit, reset: Math.ceil(now / 1000) + 60 };
  return { ...quotaExhausted(key, status), headers: rateLimitHeaders(figures) };
}

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'Bad credentials',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Validation Failed',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};
