import { abortable } from '../shared/abortable';
import type { Deadline } from '../shared/deadline';
import { TransientError } from '../shared/errors';

/** The end of the invocation, as this adapter uses it. */
export type InvocationDeadline = Pick<Deadline, 'remaining' | 'isOpen' | 'check' | 'signal'>;

export interface FetchOptions {
  /** base of the API; nothing is ever sent to another origin */
  readonly apiUrl: string;
  readonly deadline: InvocationDeadline;
  readonly fetch?: typeof globalThis.fetch;
}

/** GitHub redirects requests for renamed owners and repositories within the API. */
const MAX_REDIRECTS = 3;

const WITHOUT_BODY: readonly number[] = [204, 205, 304];

const UNTRUSTED_CERTIFICATE = /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_)/;

/**
 * The one way out to GitHub, for one invocation; Octokit uses it for token exchange too. It starts nothing after the
 * deadline, reads the whole body under the same time limit as the request, and lets a success pass only with a JSON body:
 * Octokit itself makes an empty page of a cut or empty body, and of an abort in the middle of it.
 */
export function hardenedFetch(options: FetchOptions): typeof globalThis.fetch {
  const { origin } = new URL(options.apiUrl);
  return async (input, init = {}) => {
    const method = init.method ?? 'GET';
    let url = new URL(String(input));
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const what = `${method} ${url.pathname}`;
      if (url.origin !== origin) throw new TransientError(`${what}: refused to send it to ${url.origin}, which is not ${origin}`);
      options.deadline.check(what);
      const response = await exchange(what, url, init, options);
      if (response.status < 300 || response.status > 399 || response.status === 304) return response;
      url = redirectTarget(what, method, url, response);
    }
    throw new TransientError(`${method} ${url.pathname}: more than ${MAX_REDIRECTS} redirects`);
  };
}

async function exchange(what: string, url: URL, init: RequestInit, { deadline, fetch = globalThis.fetch }: FetchOptions): Promise<Response> {
  const limit = deadline.signal();
  const signal = init.signal ? AbortSignal.any([limit, init.signal]) : limit;
  try {
    return await abortable(signal, async () => {
      const response = await fetch(url.href, { ...init, redirect: 'manual', signal });
      const answered = await response.text();
      const text = response.ok ? answered : withoutCredential(answered, init);
      if (response.ok && !WITHOUT_BODY.includes(response.status)) requireJson(what, response, text);
      return new Response(WITHOUT_BODY.includes(response.status) ? null : text, { status: response.status, headers: response.headers });
    });
  } catch (cause) {
    if (cause instanceof TransientError) throw cause;
    throw new TransientError(`${what}: ${signal.aborted ? 'no complete answer in time' : withoutCredential(networkProblem(cause), init)}`, { cause });
  }
}

/** A proxy that refuses a request may repeat its headers; errors and logs are made of what it says. */
function withoutCredential(text: string, { headers }: RequestInit): string {
  const { authorization } = { ...headers } as { authorization?: string };
  const credential = authorization?.split(' ').at(-1);
  return credential ? text.replaceAll(credential, '[removed]') : text;
}

function requireJson(what: string, response: Response, text: string): void {
  const type = response.headers.get('content-type') ?? 'nothing';
  if (!/^application\/json\b/i.test(type)) throw new TransientError(`${what}: ${response.status} with ${type} instead of JSON`);
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new TransientError(`${what}: ${response.status} with ${text === '' ? 'an empty body' : 'a body that is not JSON'}`, { cause });
  }
}

/** Only what repeats the same request: 301 and 302 may turn anything but a GET into a GET. */
function redirectTarget(what: string, method: string, from: URL, response: Response): URL {
  const location = response.headers.get('location');
  const repeats = [307, 308].includes(response.status) || (method === 'GET' && [301, 302].includes(response.status));
  if (!repeats || !location || !URL.canParse(location, from.href)) throw new TransientError(`${what}: unexpected answer ${response.status}`);
  return new URL(location, from.href);
}

function networkProblem(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = (cause as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && UNTRUSTED_CERTIFICATE.test(code)) {
    return `the certificate is not trusted (${code}); NODE_EXTRA_CA_CERTS must name a PEM bundle with its authority`;
  }
  if (typeof code === 'string') return code;
  return cause instanceof Error ? cause.message : String(cause);
}
