import { createPrivateKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { MalformedInputError } from '../shared/errors';

const PEM = /-----BEGIN (RSA )?PRIVATE KEY-----([\s\S]*?)-----END (RSA )?PRIVATE KEY-----/;

/**
 * The private key of a GitHub App in any form in which people keep it: PKCS#1 (GitHub's download) or PKCS#8, with any line
 * ends, with a literal `\n` for each of them, indented, with all lines joined by blanks, or the whole file in base64.
 *
 * @throws MalformedInputError which never shows any part of the key
 */
export function parsePrivateKey(text: string): KeyObject {
  const pem = canonicalPem(text);
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    // no cause: nothing that has seen the key may reach a log
    throw new MalformedInputError('the private key is damaged: its PEM block cannot be read');
  }
  if (key.asymmetricKeyType !== 'rsa') {
    throw new MalformedInputError(`the private key must be an RSA key as GitHub issues it, got one of type ${key.asymmetricKeyType}`);
  }
  return key;
}

/**
 * cdk-github-runners creates its key secret with three dots between the marks:
 * https://github.com/CloudSnorkel/cdk-github-runners/blob/v0.14.13/src/secrets.ts
 */
export function isPlaceholderKey(text: string): boolean {
  const body = PEM.exec(withLineEnds(text))?.[2];
  return text.trim() === '' || (body !== undefined && /^[\s.]*$/.test(body));
}

function canonicalPem(text: string): string {
  if (isPlaceholderKey(text)) throw new MalformedInputError('the private key is not set up yet: the secret still holds its placeholder');
  const match = PEM.exec(withLineEnds(text)) ?? PEM.exec(withLineEnds(fromBase64(text)));
  if (!match) {
    throw new MalformedInputError('the private key must be a PEM block that begins with -----BEGIN RSA PRIVATE KEY----- or -----BEGIN PRIVATE KEY-----');
  }
  const [, rsa = '', body = ''] = match;
  const lines = body.replace(/\s+/g, '').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${rsa}PRIVATE KEY-----`, ...lines, `-----END ${rsa}PRIVATE KEY-----`, ''].join('\n');
}

function withLineEnds(text: string): string {
  return text.replace(/\\r/g, '').replace(/\\n/g, '\n');
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
