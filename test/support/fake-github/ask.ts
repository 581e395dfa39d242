export interface Asked {
  readonly method?: string;
  /** a token or JWT */
  readonly token?: string | undefined;
  /** sent as JSON; a string is sent as it is */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  /** parsed when it is JSON; undefined when it is empty */
  readonly body: any;
}

/** One plain request. A relation of `Link` may be given as it was received. */
export async function ask(base: string, path: string, { method = 'GET', token, body, headers }: Asked = {}): Promise<Told> {
  const response = await fetch(path.startsWith('http') ? path : `${base}${path}`, {
    method,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : isJson ? JSON.parse(text) : text };
}

/** The address that `Link` gives for a relation. */
export function relation(told: Told, rel: string): string | undefined {
  return new RegExp(`<([^>]*)>; rel="${rel}"`).exec(told.headers.get('link') ?? '')?.[1];
}
