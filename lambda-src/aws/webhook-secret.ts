import type { Clock } from '../shared/deadline';
import { ConfigurationError } from '../shared/errors';
import { isOver } from '../shared/span';

const CACHE_MS = 5 * 60_000;

/** Anybody can send a bad signature; it must not make us read the secret each time. */
const LEAST_AGE_MS = 60_000;

/** The secret of the webhook, kept across invocations; read again earlier when a signature does not fit, because it may have been changed. */
export function webhookSecret(read: () => Promise<string>, now: Clock = Date.now): (renew: boolean) => Promise<string> {
  let known: { readonly secret: string; readonly readAt: number } | undefined;
  return async (renew) => {
    const readAt = now();
    if (known && !isOver({ since: known.readAt, until: known.readAt + (renew ? LEAST_AGE_MS : CACHE_MS) }, readAt)) return known.secret;
    known = { secret: parseWebhookSecret(await read()), readAt };
    return known.secret;
  };
}

/**
 * Plain text, or the JSON of cdk-github-runners, `{ "webhookSecret": "..." }`.
 *
 * @throws ConfigurationError when it is empty: everybody could sign then
 */
export function parseWebhookSecret(text: string): string {
  const secret = inJson(text) ?? text.trim();
  if (secret === '') throw new ConfigurationError('the secret of the webhook is empty');
  return secret;
}

function inJson(text: string): string | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const { webhookSecret: secret } = JSON.parse(text) as { webhookSecret?: unknown };
    if (typeof secret === 'string') return secret;
  } catch {
    // not thrown on: the parser's message repeats what it has read
  }
  throw new ConfigurationError("the secret of the webhook must be plain text, or JSON with a text 'webhookSecret'");
}
