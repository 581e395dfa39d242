import { classify, retryAfterMs } from '../../../lambda-src/github/classify';
import { TransientError } from '../../../lambda-src/shared/errors';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const QUOTA = {
  'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4321', 'x-ratelimit-reset': String(NOW / 1000 + 600), 'x-ratelimit-resource': 'core',
};

/** as Octokit throws them; that it really does is shown by the tests over sockets */
function answer(status: number, headers: Record<string, string> = {}, message = 'Forbidden'): Error {
  return Object.assign(new Error(message), { status, response: { status, headers, data: {} } });
}

function withoutAnswer(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { status: 500 });
}

test.each([
  ['a bare 403', answer(403), 'permission'],
  ['a missing permission, with quota headers', answer(403, { ...QUOTA, 'x-accepted-github-permissions': 'x=write' }, 'Resource not accessible by integration'), 'permission'],
  ['an exhausted quota', answer(403, { ...QUOTA, 'x-ratelimit-remaining': '0' }), 'limit'],
  ['an exhausted quota of a server that says little', answer(403, { 'x-ratelimit-remaining': '0' }), 'limit'],
  ['a secondary limit with quota left', answer(403, QUOTA, 'You have exceeded a secondary rate limit.'), 'limit'],
  ['the older wording', answer(403, {}, 'You have triggered an abuse detection mechanism.'), 'limit'],
  ['a 403 with retry-after', answer(403, { 'retry-after': '30' }), 'limit'],
  ['any 429', answer(429, {}, 'whatever'), 'limit'],
  ['401', answer(401, { ...QUOTA, 'x-ratelimit-remaining': '0' }, 'Bad credentials'), 'unauthenticated'],
  ['404, even with nothing left', answer(404, { 'x-ratelimit-remaining': '0' }, 'Not Found'), 'notFound'],
  ['404 that names a rate limit', answer(404, {}, 'rate limit'), 'notFound'],
  ['422, whatever its text', answer(422, {}, 'Nothing to see here'), 'unprocessable'],
  ['409', answer(409), 'transient'],
  ['400', answer(400), 'transient'],
  ['500', answer(500), 'transient'],
  ['502 with retry-after', answer(502, { 'retry-after': '5' }), 'transient'],
  ['503', answer(503), 'transient'],
  ['no answer at all', withoutAnswer('other side closed'), 'transient'],
  ['a bug', new TypeError('x is undefined'), 'transient'],
  ['something that is no error', 'boom', 'transient'],
])('%s', (_, error, kind) => {
  expect(classify(error, NOW).kind).toBe(kind);
});

test.each([
  ['retry-after', { ...QUOTA, 'retry-after': '30' }, 30_000],
  ['retry-after before the reset', { ...QUOTA, 'x-ratelimit-remaining': '0', 'retry-after': '30' }, 30_000],
  ['retry-after as a date', { 'retry-after': 'Mon, 30 Nov 2026 12:01:00 GMT' }, 60_000],
  ['the reset of an exhausted quota', { ...QUOTA, 'x-ratelimit-remaining': '0' }, 600_000],
])('a limit ends with %s', (_, headers, wait) => {
  expect(classify(answer(403, headers, 'rate limit'), NOW)).toMatchObject({ kind: 'limit', until: NOW + wait });
});

test.each([
  ['nothing says so', {}],
  ['quota is left', QUOTA],
  ['the reset is over', { ...QUOTA, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 - 5) }],
  ['retry-after is nonsense', { 'retry-after': 'soon' }],
])('a limit has no known end when %s', (_, headers) => {
  expect(classify(answer(403, headers, 'rate limit'), NOW)).toMatchObject({ kind: 'limit', until: undefined });
});

test.each([
  ['retry-after', { 'retry-after': '99999999999999' }],
  ['retry-after of more digits than a number has', { 'retry-after': '9'.repeat(400) }],
  ['retry-after as a date', { 'retry-after': 'Fri, 30 Nov 9999 12:00:00 GMT' }],
  ['the reset of an exhausted quota', { ...QUOTA, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '999999999999999' }],
])('a limit ends within an hour, however far away %s is', (_, headers) => {
  expect(classify(answer(403, headers, 'rate limit'), NOW)).toMatchObject({ kind: 'limit', until: NOW + 3_600_000 });
});

test('a retry-after in the past means now', () => {
  expect(retryAfterMs('Mon, 30 Nov 2026 11:00:00 GMT', NOW)).toBe(0);
});

test('an error of ours, wrapped by Octokit, keeps its own words', () => {
  const wrapped = withoutAnswer('wrapped', new TransientError('GET /x: no complete answer in time'));
  expect(classify(wrapped, NOW)).toMatchObject({ kind: 'transient', message: 'GET /x: no complete answer in time' });
});

test('a page of HTML does not fill the log', () => {
  const { message } = classify(answer(502, {}, `<html>\n${'x'.repeat(5000)}`), NOW);
  expect(message.length).toBeLessThan(220);
  expect(message).not.toContain('\n');
});
