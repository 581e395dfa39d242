import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { isPlaceholderKey, parsePrivateKey } from '../../../lambda-src/github/private-key';
import { describeError, MalformedInputError } from '../../../lambda-src/shared/errors';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PKCS1 = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const PKCS8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const PLACEHOLDER = '-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----';

const FORMS: readonly [string, (pem: string) => string][] = [
  ['as GitHub hands it out', (pem) => pem],
  ['with CRLF', (pem) => pem.replace(/\n/g, '\r\n')],
  ['with a literal \\n for each line end', (pem) => pem.replace(/\n/g, '\\n')],
  ['with a literal \\r\\n for each line end', (pem) => pem.replace(/\n/g, '\\r\\n')],
  ['with leading blanks on every line', (pem) => pem.replace(/^/gm, '    ')],
  ['with all lines joined by blanks', (pem) => pem.replace(/\n/g, ' ')],
  ['without its last line end', (pem) => pem.trimEnd()],
  ['in base64', (pem) => Buffer.from(pem).toString('base64')],
  ['in base64 with line ends', (pem) => Buffer.from(pem).toString('base64').replace(/.{76}/g, '$&\n')],
  ['in base64, of a file with CRLF', (pem) => Buffer.from(pem.replace(/\n/g, '\r\n')).toString('base64')],
  ['with text before and behind', (pem) => `Bag Attributes\n${pem}\n# the end`],
];

describe.each([['PKCS#1', PKCS1], ['PKCS#8', PKCS8]])('a %s key', (_, pem) => {
  test.each(FORMS)('%s can sign', (_form, written) => {
    const signature = sign('RSA-SHA256', Buffer.from('content'), parsePrivateKey(written(pem)));
    expect(verify('RSA-SHA256', Buffer.from('content'), publicKey, signature)).toBe(true);
  });
});

test.each([
  ['their own', PLACEHOLDER],
  ['with CRLF', PLACEHOLDER.replace(/\n/g, '\r\n')],
  ['with literal \\n', PLACEHOLDER.replace(/\n/g, '\\n')],
  ['nothing', ' \n'],
])('the placeholder of cdk-github-runners is told apart from a damaged key: %s', (_, text) => {
  expect(isPlaceholderKey(text)).toBe(true);
  expect(() => parsePrivateKey(text)).toThrow(/not set up yet/);
});

test('a real key is no placeholder', () => {
  expect(isPlaceholderKey(PKCS1)).toBe(false);
  expect(isPlaceholderKey(Buffer.from(PKCS1).toString('base64'))).toBe(false);
});

const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

test.each([
  ['a password', 'hunter2-hunter2', 'must be a PEM block'],
  ['a key that was cut', PKCS1.slice(0, 900), 'must be a PEM block'],
  ['a key with a piece missing', PKCS1.replace(/^(?:.*\n){5}/, '-----BEGIN RSA PRIVATE KEY-----\n'), 'is damaged'],
  ['an elliptic key', elliptic, 'must be an RSA key'],
  ['a public key', publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'must be a PEM block'],
])('%s is refused without showing any of it', (_, text, reason) => {
  let refusal: unknown;
  try {
    parsePrivateKey(text);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(MalformedInputError);
  const shown = describeError(refusal);
  expect(shown).toContain(reason);
  for (const piece of text.match(/[A-Za-z0-9+/]{12,}/g) ?? []) expect(shown).not.toContain(piece);
  expect((refusal as Error).cause).toBeUndefined();
});
