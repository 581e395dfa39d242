import type { IncomingMessage } from 'node:http';
import { pathById, pathByName } from './router';
import type { World } from './world';

/** A request, read to its end and understood. */
export interface Incoming {
  readonly method: string;
  readonly url: string;
  /** without `/api/v3`, and with names in place of numeric ids */
  readonly path: string;
  readonly query: URLSearchParams;
  /** the API's address as this client knows it */
  readonly api: string;
  /** this very address as GitHub's own links write it */
  readonly self: URL;
  readonly body: unknown;
}

/** What a body that cannot be parsed is read as. */
export const NOT_JSON = Symbol('not JSON');

export async function readIncoming(req: IncomingMessage, world: World): Promise<Incoming> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const proto = req.headers['x-forwarded-proto'] ?? ('encrypted' in req.socket ? 'https' : 'http');
  const asked = new URL(req.url ?? '/', `${String(proto)}://${req.headers.host ?? '127.0.0.1'}`);
  const prefix = asked.pathname.startsWith('/api/v3/') ? '/api/v3' : '';
  const path = pathByName(world, decodeURIComponent(asked.pathname.slice(prefix.length)));
  const api = `${asked.origin}${prefix}`;
  return {
    method: req.method ?? 'GET',
    url: req.url ?? '/',
    path,
    query: asked.searchParams,
    api,
    self: new URL(`${api}${pathById(world, path)}${asked.search}`),
    body: parsed(Buffer.concat(chunks).toString()),
  };
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}
