import type { KeyObject } from 'node:crypto';
import { verify } from 'node:crypto';

/** @see https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app */
const MAX_LIFETIME_SECONDS = 600;
const CLOCK_SKEW_SECONDS = 5;

export type JwtReading<T> = { readonly app: T } | { readonly status: number; readonly message: string };

/** Checks what GitHub checks on the token by which an App says who it is; messages are GitHub's. */
export function readAppJwt<T extends { publicKey: KeyObject }>(jwt: string, appOf: (issuer: string) => T | undefined, nowMs: number): JwtReading<T> {
  const undecodable = { status: 401, message: 'A JSON web token could not be decoded' };
  const [header, payload, signature] = jwt.split('.');
  const claims = decode(payload);
  if (decode(header)?.alg !== 'RS256' || !claims || !signature) return undecodable;

  const app = appOf(String(claims.iss));
  if (!app) return { status: 404, message: 'Integration not found' };
  if (!verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), app.publicKey, Buffer.from(signature, 'base64url'))) return undecodable;

  const { iat, exp } = claims;
  const now = nowMs / 1000;
  if (!Number.isInteger(iat) || Number(iat) > now + CLOCK_SKEW_SECONDS) {
    return { status: 401, message: "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued" };
  }
  if (typeof exp !== 'number' || exp <= now - CLOCK_SKEW_SECONDS) {
    return { status: 401, message: "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires" };
  }
  if (exp > now + MAX_LIFETIME_SECONDS + CLOCK_SKEW_SECONDS) {
    return { status: 401, message: "'Expiration time' claim ('exp') is too far in the future" };
  }
  return { app };
}

function decode(part: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
    return typeof value === 'object' && value !== null ? value as Record<string, unknown> : undefined;
  } catch {
    // not a token at all: the caller answers as GitHub does
    return undefined;
  }
}
