import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** both PEM */
  readonly key: string;
  readonly certificate: string;
}

/**
 * A throw-away self-signed certificate for a few host names, trusted through NODE_EXTRA_CA_CERTS. Node can read X.509 but not write
 * it, and the demo may need nothing but Node: hence these few lines of DER (RFC 5280, section 4.1).
 */
export function createCertificate(hosts: readonly string[]): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(oid(2, 5, 4, 3), der(0x0c, Buffer.from(`throw-away certificate of ${hosts[0]}`)))));
  const algorithm = sequence(oid(1, 2, 840, 10045, 4, 3, 2)); // ecdsa-with-SHA256
  const toBeSigned = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    // openssl compares with the machine's own clock, which the virtual clock does not move
    sequence(utcTime(Date.now() - DAY), utcTime(Date.now() + 30 * DAY)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(
      extension(oid(2, 5, 29, 19), sequence(der(0x01, Buffer.from([0xff])))), // basicConstraints: CA
      extension(oid(2, 5, 29, 17), sequence(...hosts.map((host) => der(0x82, Buffer.from(host))))), // subjectAltName: dNSName
    )),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, algorithm, der(0x03, Buffer.from([0]), signature));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, certificate: pem(certificate) };
}

const DAY = 24 * 60 * 60 * 1000;

function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...length(body.length)]), body]);
}

function length(value: number): number[] {
  if (value < 0x80) return [value];
  if (value < 0x100) return [0x81, value];
  return [0x82, Math.floor(value / 0x100), value % 0x100];
}

function sequence(...content: Buffer[]): Buffer {
  return der(0x30, ...content);
}

function set(...content: Buffer[]): Buffer {
  return der(0x31, ...content);
}

/** Positive, most significant byte first. */
function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

function oid(first: number, second: number, ...rest: number[]): Buffer {
  return der(0x06, Buffer.from([40 * first + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value % 0x80];
  for (let left = Math.floor(value / 0x80); left > 0; left = Math.floor(left / 0x80)) bytes.unshift(left % 0x80 + 0x80);
  return bytes;
}

function utcTime(at: number): Buffer {
  return der(0x17, Buffer.from(new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14) + 'Z'));
}

function extension(id: Buffer, value: Buffer): Buffer {
  return sequence(id, der(0x04, value));
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g)!;
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
