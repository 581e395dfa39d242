import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hardenedFetch } from '../../../lambda-src/github/fetch';
import { Deadline } from '../../../lambda-src/shared/deadline';
import { DeadlineError, TransientError } from '../../../lambda-src/shared/errors';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 0 }, listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const deadline = (milliseconds = 300_000) => Deadline.after(milliseconds);
const impatient = () => Object.assign(Object.create(deadline()) as Deadline, { signal: () => AbortSignal.timeout(100) });
const json: RequestListener = (_, res) => res.setHeader('content-type', 'application/json; charset=utf-8').end('{"a":1}');
const TOKEN = { headers: { authorization: 'bearer ghs_secret' } };

test('a JSON answer comes back whole, with its status and headers', async () => {
  const url = await serve((req, res) => json(req, res.setHeader('link', '<x>')));
  const response = await hardenedFetch({ apiUrl: url, deadline: deadline() })(`${url}/x`);
  expect([response.status, response.headers.get('link'), await response.json()]).toEqual([200, '<x>', { a: 1 }]);
});

test('204 needs no body', async () => {
  const url = await serve((_, res) => res.writeHead(204).end());
  expect((await hardenedFetch({ apiUrl: url, deadline: deadline() })(`${url}/x`, { method: 'DELETE' })).status).toBe(204);
});

test('a refusal may have any body', async () => {
  const url = await serve((_, res) => res.writeHead(403, { 'content-type': 'text/html' }).end('<html>'));
  const response = await hardenedFetch({ apiUrl: url, deadline: deadline() })(`${url}/x`);
  expect([response.status, await response.text()]).toEqual([403, '<html>']);
});

test('a refusal that repeats what it was asked with comes back without it', async () => {
  const url = await serve((req, res) => res.writeHead(403).end(`refused: ${req.headers.authorization}, "ghs_secret"`));
  const response = await hardenedFetch({ apiUrl: url, deadline: deadline() })(`${url}/x`, TOKEN);
  expect(await response.text()).toBe('refused: bearer [removed], "[removed]"');
});

test('an error that repeats what should have been sent comes without it', async () => {
  const asking = hardenedFetch({ apiUrl: 'http://127.0.0.1', deadline: deadline() })('http://127.0.0.1/x', { headers: { authorization: 'bearer ghs_line\nend' } });
  await expect(asking).rejects.toThrow(/\[removed\]/);
  await expect(asking).rejects.not.toThrow(/ghs_/);
});

const BAD_ANSWERS: readonly [string, RequestListener, string][] = [
  ['a cut body', (_, res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    res.write('{"runners":[', () => setTimeout(() => res.destroy(), 10));
  }, 'GET /x: '],
  ['a body without its end and without a length', (req, res) => {
    res.sendDate = false;
    req.socket.end('HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n{"runners":[');
  }, 'a body that is not JSON'],
  ['an empty body', (_, res) => void res.setHeader('content-type', 'application/json').end(), 'an empty body'],
  ['HTML', (_, res) => void res.setHeader('content-type', 'text/html').end('<html>'), '200 with text/html instead of JSON'],
  ['no type', (_, res) => void res.end('{}'), '200 with nothing instead of JSON'],
  ['a broken connection', (req) => void req.socket.destroy(), 'GET /x: '],
];

test.each(BAD_ANSWERS)('%s is a transient error that says so', async (_, listener, message) => {
  const url = await serve(listener);
  const answer = hardenedFetch({ apiUrl: url, deadline: deadline() })(`${url}/x`);
  await expect(answer).rejects.toThrow(TransientError);
  await expect(answer).rejects.toThrow(message);
});

test.each<[string, RequestListener]>([
  ['no answer', () => undefined],
  ['an answer that stops in the middle of its body', (_, res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    res.write('{"runners":[');
  }],
])('%s is a transient error when the time for one request is over', async (_, listener) => {
  const url = await serve(listener);
  const answer = hardenedFetch({ apiUrl: url, deadline: impatient() })(`${url}/x`);
  await expect(answer).rejects.toThrow('GET /x: no complete answer in time');
});

test('a caller may give up earlier', async () => {
  const url = await serve(() => undefined);
  await expect(hardenedFetch({ apiUrl: url, deadline: deadline() })(`${url}/x`, { signal: AbortSignal.timeout(50) })).rejects.toThrow(TransientError);
});

test('nothing is started in the last ten seconds', async () => {
  let requests = 0;
  const url = await serve((req, res) => {
    requests++;
    json(req, res);
  });
  await expect(hardenedFetch({ apiUrl: url, deadline: deadline(9_000) })(`${url}/x`)).rejects.toThrow(DeadlineError);
  expect(requests).toBe(0);
});

test('no token goes to another origin, whoever asks for it', async () => {
  let requests = 0;
  const other = await serve((req, res) => {
    requests++;
    json(req, res);
  });
  const url = await serve(json);
  await expect(hardenedFetch({ apiUrl: url, deadline: deadline() })(`${other}/x`, TOKEN)).rejects.toThrow(`refused to send it to ${other}`);
  const bouncing = await serve((_, res) => res.writeHead(302, { location: `${other}/x` }).end());
  await expect(hardenedFetch({ apiUrl: bouncing, deadline: deadline() })(`${bouncing}/x`, TOKEN)).rejects.toThrow(`refused to send it to ${other}`);
  expect(requests).toBe(0);
});

test.each([
  ['GET', 301, true], ['GET', 302, true], ['GET', 307, true], ['GET', 308, true], ['GET', 303, false],
  ['DELETE', 307, true], ['DELETE', 308, true], ['DELETE', 301, false], ['DELETE', 302, false],
])('%s that is redirected with %i within the API is repeated as it was: %p', async (method, status, repeated) => {
  const seen: string[] = [];
  const url = await serve((req, res) => {
    seen.push(`${req.method} ${req.url} ${req.headers.authorization}`);
    if (req.url === '/old') res.writeHead(status, { location: '/new' }).end();
    else json(req, res);
  });
  const answer = hardenedFetch({ apiUrl: url, deadline: deadline() })(`${url}/old`, { method, ...TOKEN });
  if (repeated) expect((await answer).status).toBe(200);
  else await expect(answer).rejects.toThrow(TransientError);
  const first = `${method} /old bearer ghs_secret`;
  expect(seen).toEqual(repeated ? [first, `${method} /new bearer ghs_secret`] : [first]);
});

test('redirects in a circle come to an end', async () => {
  const url = await serve((_, res) => res.writeHead(302, { location: '/x' }).end());
  await expect(hardenedFetch({ apiUrl: url, deadline: deadline() })(`${url}/x`)).rejects.toThrow('more than 3 redirects');
});

test('a certificate that is not trusted says what to do about it', async () => {
  const cause = Object.assign(new Error('unable to verify the first certificate'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
  await expect(hardenedFetch({ apiUrl: 'https://ghe.example/api/v3', deadline: deadline(), fetch })('https://ghe.example/api/v3/x')).rejects.toThrow('NODE_EXTRA_CA_CERTS');
});
