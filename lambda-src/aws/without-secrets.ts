import { describeError } from '../shared/errors';

const REMOVED = '[removed]';

/** Deep enough for every field we log, and an end for objects that contain themselves. */
const MAX_DEPTH = 8;

/** Names under which HTTP clients, SDKs and secrets keep what nobody may read. */
const SECRET_NAME = /authorization|cookie|password|passphrase|private.?key|secret|signature|token|\bpem\b|\bjwt\b/i;

/** Where a secret is kept is worth logging; what it holds is not. */
const REFERENCE = /^arn:[\w-]+:(?:secretsmanager|ssm):/;

/** Secrets that can be told by their looks, whatever text they stand in. */
const SECRET_TEXT: readonly RegExp[] = [
  /-----BEGIN [^-]*PRIVATE KEY-----[\s\S]*?(?:-----END [^-]*-----|$)/g,
  // the same in base64, as it is often kept in a secret
  /LS0tLS1[A-Za-z0-9+/=\s]{20,}/g,
  // not only whole words: behind an escape, as in `%20ghp_`, none begins
  /(?:gh[opusr]_|github_pat_|eyJ[\w-]{10,}\.)[\w.-]{20,}/g,
  // https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
  /\b(?:gh[a-z]_|github_pat_)[\w.-]+/g,
  /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g,
  // a header's value; the digit tells it from a sentence about tokens
  /\b(?:bearer|basic|token)\s+(?=\S*\d)[\w.~+/=-]{16,}/gi,
];

/**
 * A copy that may be logged: the logger itself hides nothing. Removes what stands under a secret-looking name, and what
 * looks like a key or a token in any text. Errors lose their causes, which can hold whole requests with their headers.
 */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return withoutSecretText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return withoutSecretText(describeError(value));
  if (value instanceof Date) return value.toISOString();
  if (depth >= MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  if (value instanceof Map || value instanceof Set) return withoutSecrets([...value], depth);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, fieldWithoutSecrets(name, field, depth)]));
}

/** A copy that may be thrown out of a function: with name, message and stack, and without whatever else the error holds. */
export function errorWithoutSecrets(error: unknown): Error {
  const { name, message, stack } = error instanceof Error ? error : new Error(describeError(error));
  const clean = new Error(withoutSecretText(String(message)));
  clean.name = String(name);
  clean.stack = withoutSecretText(String(stack));
  return clean;
}

export function withoutSecretText(text: string): string {
  return SECRET_TEXT.reduce((rest, pattern) => rest.replace(pattern, REMOVED), text);
}

function fieldWithoutSecrets(name: string, field: unknown, depth: number): unknown {
  // numbers under such names are counts
  const harmless = typeof field !== 'string' && typeof field !== 'object';
  if (!SECRET_NAME.test(name) || harmless || field === null) return withoutSecrets(field, depth + 1);
  return typeof field === 'string' && REFERENCE.test(field) ? field : REMOVED;
}
