import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Answer } from './answer';

/** @param now the fake's clock, which the date in the answer follows: clients correct their own clock by it */
export function send(res: ServerResponse, answer: Answer, now: number): void {
  const text = textOf(answer.body);
  res.writeHead(answer.status, headersOf(answer, text, now));
  res.end(text);
}

/** Promises the whole body, sends half of it and hangs up. An answer without a body is lost altogether. */
export function sendHalf(res: ServerResponse, answer: Answer, now: number): void {
  const text = textOf(answer.body);
  if (!text) return destroy(res);
  res.writeHead(answer.status, headersOf(answer, text, now));
  res.write(text.slice(0, text.length / 2), () => destroy(res));
}

export function destroy(res: ServerResponse): void {
  res.socket?.destroy();
}

function textOf(body: unknown): string | undefined {
  return typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
}

function headersOf(answer: Answer, text: string | undefined, now: number): Record<string, string> {
  return {
    'date': new Date(now).toUTCString(),
    ...(text !== undefined && { 'content-type': 'application/json; charset=utf-8', 'content-length': String(Buffer.byteLength(text)) }),
    'x-github-media-type': 'github.v3; format=json',
    'x-github-request-id': randomUUID(),
    ...answer.headers,
  };
}
