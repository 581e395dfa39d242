import { randomUUID, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Clock } from '../shared/deadline';

/** GitHub allows 10 minutes; its clock and ours may differ. */
const LIFETIME_SECONDS = 9 * 60;
const CLOCK_SKEW_SECONDS = 30;

/** How an App proves who it is, in the form that `@octokit/auth-app` asks for. */
export type CreateJwt = (appId: string | number) => Promise<{ jwt: string; expiresAt: string }>;

/**
 * With a `jti`: functions that sign in the same second would otherwise send identical tokens, and GitHub has answered
 * those with 404 (https://github.com/github-aws-runners/terraform-aws-github-runner/issues/5025).
 */
export function appJwt(key: KeyObject, now: Clock): CreateJwt {
  return async (appId) => {
    const seconds = Math.floor(now() / 1000);
    const exp = seconds + LIFETIME_SECONDS;
    const content = [{ alg: 'RS256', typ: 'JWT' }, { iat: seconds - CLOCK_SKEW_SECONDS, exp, iss: String(appId), jti: randomUUID() }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = sign('RSA-SHA256', Buffer.from(content), key).toString('base64url');
    return { jwt: `${content}.${signature}`, expiresAt: new Date(exp * 1000).toISOString() };
  };
}
