import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether GitHub signed these bytes: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries.
 * An empty secret signs nothing: anybody could know it.
 */
export function isSigned(body: Buffer, signature: string | undefined, secret: string): boolean {
  if (secret === '' || signature === undefined) return false;
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature);
  // the length is no secret, and the comparison throws when it differs
  return given.length === expected.length && timingSafeEqual(given, expected);
}
