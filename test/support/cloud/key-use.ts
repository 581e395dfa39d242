/** What services do with a customer managed key on behalf of whoever calls them. */
export type KeyAction = 'Decrypt' | 'GenerateDataKey';

/**
 * Uses the key that something is encrypted with, if there is one: keys that AWS manages need no permission. KMS asks whether the caller
 * may, and learns through which service he comes and what for.
 *
 * @param encryptionContext as the service gives it to KMS
 * @throws AccessDeniedError when the caller may not
 */
export type UseKey = (actions: readonly KeyAction[], keyArn: string | undefined, encryptionContext: Readonly<Record<string, string>>) => void;

/** Condition keys of a call to KMS that a service makes for its caller: https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html */
export function keyContext(service: string, region: string, encryptionContext: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(encryptionContext).map(([name, value]) => [`kms:EncryptionContext:${name}`, value]);
  return { 'kms:ViaService': `${service}.${region}.amazonaws.com`, ...Object.fromEntries(entries) as Record<string, string> };
}

export class AccessDeniedError extends Error {}
