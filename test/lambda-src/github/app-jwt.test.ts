import { generateKeyPairSync, verify } from 'node:crypto';
import { appJwt } from '../../../lambda-src/github/app-jwt';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const NOW = Date.parse('2026-11-30T12:00:00.700Z');

const decoded = (part: string | undefined) => JSON.parse(Buffer.from(part!, 'base64url').toString());

test('the token is signed by the key and valid from before now, for less than ten minutes', async () => {
  const { jwt, expiresAt } = await appJwt(privateKey, () => NOW)(123);
  const [header, payload, signature] = jwt.split('.');
  expect(verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature!, 'base64url'))).toBe(true);
  expect(decoded(header)).toEqual({ alg: 'RS256', typ: 'JWT' });
  const claims = decoded(payload);
  expect(claims).toMatchObject({ iss: '123', iat: Math.floor(NOW / 1000) - 30, exp: Math.floor(NOW / 1000) + 540 });
  expect(Date.parse(expiresAt)).toBe(claims.exp * 1000);
});

test('two tokens of the same second differ', async () => {
  const createJwt = appJwt(privateKey, () => NOW);
  const [one, other] = await Promise.all([createJwt(123), createJwt(123)]);
  expect(one.jwt).not.toBe(other.jwt);
  expect(decoded(one.jwt.split('.')[1]).jti).not.toBe(decoded(other.jwt.split('.')[1]).jti);
});
