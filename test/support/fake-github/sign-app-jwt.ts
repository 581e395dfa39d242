import { sign } from 'node:crypto';

/** What an App signs to say who it is; every claim can be made wrong. */
export function signAppJwt(
  app: { readonly appId: number; readonly privateKey: string },
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): string {
  const now = Math.floor(Date.now() / 1000);
  const encoded = [{ alg: 'RS256', typ: 'JWT', ...header }, { iss: app.appId, iat: now - 30, exp: now + 570, ...claims }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${encoded}.${sign('RSA-SHA256', Buffer.from(encoded), app.privateKey).toString('base64url')}`;
}
