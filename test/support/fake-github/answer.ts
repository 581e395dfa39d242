/** What is sent back, before it meets the network. */
export interface Answer {
  readonly status: number;
  /** JSON; a string is sent as it is */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const DOCUMENTATION = 'https://docs.github.com/rest';

export function ok(body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, body, headers };
}

export function failure(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, body: { message, documentation_url: DOCUMENTATION, status: String(status) }, headers };
}

/** GitHub's answer also to whatever the caller may not know of. */
export function notFound(): Answer {
  return failure(404, 'Not Found');
}

export function unprocessable(message: string): Answer {
  return { status: 422, body: { message, documentation_url: DOCUMENTATION } };
}

/** @param accepted what would do, as in the header: `organization_self_hosted_runners=read`; undefined: no App may do this */
export function notAccessible(accepted: string | undefined): Answer {
  return failure(403, 'Resource not accessible by integration', accepted === undefined ? {} : { 'x-accepted-github-permissions': accepted });
}

export function suspended(): Answer {
  return failure(403, 'This installation has been suspended');
}
