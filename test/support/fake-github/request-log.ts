export interface RecordedRequest {
  readonly method: string;
  /** without `/api/v3`, and with names where GitHub's own links have numeric ids: `/orgs/acme/...` */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** as it was asked for */
  readonly url: string;
  readonly appId?: number;
  readonly installationId?: number;
  /** the token or JWT that came with it, good or bad */
  readonly token?: string;
  readonly at: number;
  /** 0 while there is no answer, and when there never was one */
  status: number;
  /** the limit that refused it; a limit faked by a fault is none */
  refusedBy?: 'quota' | 'secondary limit';
}

export interface RequestFilter {
  readonly method?: string;
  /** a string is compared with the whole path; an expression may also look at the query behind it: `/runners\?.*page=2/` */
  readonly path?: string | RegExp;
  readonly app?: number;
  readonly status?: number;
}

export function matches(request: RecordedRequest, filter: RequestFilter): boolean {
  return (filter.method === undefined || filter.method === request.method)
    && (filter.app === undefined || filter.app === request.appId)
    && (filter.status === undefined || filter.status === request.status)
    && (filter.path === undefined || pathMatches(request, filter.path));
}

function pathMatches(request: RecordedRequest, path: string | RegExp): boolean {
  if (typeof path === 'string') return path === request.path;
  // `search` instead of `test`: an expression with the flag g must not remember where it stopped
  return request.path.search(path) >= 0 || `${request.path}?${new URLSearchParams(request.query)}`.search(path) >= 0;
}
