import { isAtReserve, newerQuota, quotaOf, remainingOf } from '../../../lambda-src/github/quota';

const NOW = 1_000_000;
const HOUR = 3_600_000;
const quota = (remaining: number, resetAt = NOW + 1000, limit = 5000, seenAt = NOW) => ({ limit, remaining, resetAt, seenAt });
const headers = (changes: Record<string, string | undefined> = {}) => ({
  'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': '1700000000', 'x-ratelimit-resource': 'core', ...changes,
});

test('headers are strings and become numbers', () => {
  expect(quotaOf(headers(), NOW)).toEqual({ limit: 5000, remaining: 12, resetAt: 1_700_000_000_000, seenAt: NOW });
});

test('a server that does not name the resource speaks of the only one it has', () => {
  expect(quotaOf(headers({ 'x-ratelimit-resource': undefined }), NOW)).toMatchObject({ remaining: 12 });
});

test.each([
  ['no headers', {}],
  ['another resource', headers({ 'x-ratelimit-resource': 'search' })],
  ['only some of them', headers({ 'x-ratelimit-reset': undefined })],
  ['nonsense', headers({ 'x-ratelimit-remaining': 'NaN' })],
  ['an empty value', headers({ 'x-ratelimit-remaining': '' })],
  ['a negative value', headers({ 'x-ratelimit-remaining': '-1' })],
])('%s is an unknown quota', (_, given) => {
  expect(quotaOf(given, NOW)).toBeUndefined();
});

test('unknown is full, and so is a quota whose reset is over', () => {
  expect(remainingOf(undefined, NOW)).toBe(Infinity);
  expect(remainingOf(quota(0, NOW), NOW)).toBe(Infinity);
  expect(remainingOf(quota(7), NOW)).toBe(7);
  expect(isAtReserve(undefined, 0.2, 0, NOW)).toBe(false);
  expect(isAtReserve(quota(0, NOW), 0.2, 0, NOW)).toBe(false);
});

test('a reset that is years away is not waited for longer than a window lasts, and a later answer is believed again', () => {
  const absurd = quota(0, NOW + 100_000 * HOUR);
  expect(isAtReserve(absurd, 0.2, 0, NOW + HOUR - 1)).toBe(true);
  expect(isAtReserve(absurd, 0.2, 0, NOW + HOUR)).toBe(false);
  expect(remainingOf(absurd, NOW + HOUR)).toBe(Infinity);
  const later = quota(10, NOW + 2 * HOUR, 5000, NOW + HOUR);
  expect(newerQuota(absurd, later)).toBe(later);
});

test('what was seen before the clock was set back says nothing', () => {
  const seen = quota(10, NOW + HOUR);
  expect(remainingOf(seen, NOW - 1)).toBe(Infinity);
  expect(isAtReserve(seen, 0.2, 0, NOW - 1)).toBe(false);
  const later = quota(12, NOW, 5000, NOW - HOUR);
  expect(newerQuota(seen, later)).toBe(later);
});

test('answers in any order never give quota back within one window', () => {
  expect(newerQuota(quota(10), quota(12))).toEqual(quota(10));
  expect(newerQuota(quota(12), quota(10))).toEqual(quota(10));
  expect(newerQuota(quota(10), quota(5000, NOW + 9000))).toEqual(quota(5000, NOW + 9000));
  expect(newerQuota(quota(5000, NOW + 9000), quota(10))).toEqual(quota(5000, NOW + 9000));
  expect(newerQuota(quota(10), undefined)).toEqual(quota(10));
});

test('the reserve is kept, with one request to spare for each function that has not heard of the others', () => {
  expect(isAtReserve(quota(1004), 0.2, 0, NOW)).toBe(false);
  expect(isAtReserve(quota(1003), 0.2, 0, NOW)).toBe(true);
});

test('requests that are under way count as used', () => {
  expect(isAtReserve(quota(1014), 0.2, 10, NOW)).toBe(false);
  expect(isAtReserve(quota(1014), 0.2, 11, NOW)).toBe(true);
});

test('without a reserve everything may be used', () => {
  expect(isAtReserve(quota(1), 0, 0, NOW)).toBe(false);
  expect(isAtReserve(quota(0), 0, 0, NOW)).toBe(true);
});
