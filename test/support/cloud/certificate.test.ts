import { X509Certificate, createPrivateKey } from 'node:crypto';
import { createCertificate } from './certificate';

test('a certificate is valid now, for exactly its hosts, and signed with its own key', () => {
  const { key, certificate } = createCertificate(['api.github.com', 'x.ghe.com']);
  const parsed = new X509Certificate(certificate);
  expect(parsed.checkHost('api.github.com')).toBe('api.github.com');
  expect(parsed.checkHost('x.ghe.com')).toBe('x.ghe.com');
  expect(parsed.checkHost('github.com')).toBeUndefined();
  expect(parsed.ca).toBe(true);
  expect(parsed.verify(parsed.publicKey)).toBe(true);
  expect(parsed.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(parsed.validFromDate.getTime()).toBeLessThan(Date.now());
  expect(parsed.validToDate.getTime()).toBeGreaterThan(Date.now());
});

test('no two are the same', () => {
  expect(createCertificate(['a']).certificate).not.toBe(createCertificate(['a']).certificate);
});
