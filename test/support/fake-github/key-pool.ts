import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

export interface KeyPair {
  /** PEM of PKCS#1, as GitHub hands it out for download */
  readonly privateKey: string;
  readonly publicKey: KeyObject;
}

// making a key takes a tenth of a second, and every test wants a few: keys of fakes that were stopped are used again,
// while those of two fakes that live at the same time are never the same
const free: KeyPair[] = [];

export function takeKeyPair(): KeyPair {
  return free.pop() ?? newKeyPair();
}

export function returnKeyPairs(pairs: readonly KeyPair[]): void {
  free.push(...pairs);
}

function newKeyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}
