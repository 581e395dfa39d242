import { isAtReserve, newerQuota, quotaOf, remainingOf } from '../../../lambda-src/github/quota';

const NOW = 1_000_000;
const quota = (remaining: number, resetAt = NOW + 1000, limit = 5000) => ({ limit, remaining, resetAt });
const headers = (changes: Record<string, string | undefined> = {}) => ({
  'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': '1700000000', 'x-ratelimit-resource': 'core', ...changes,
});

test('headers are strings and become numbers', () => {
  expect(quotaOf(headers())).toEqual({ limit: 5000, remaining: 12, resetAt: 1_700_000_000_000 });
});

test('a server that does not name the resource speaks of the only one it has', () => {
  expect(quotaOf(headers({ 'x-ratelimit-resource': undefined }))).toMatchObject({ remaining: 12 });
});

test.each([
  ['no headers', {}],
  ['another resource', headers({ 'x-ratelimit-resource': 'search' })],
  ['only some of them', headers({ 'x-ratelimit-reset': undefined })],
  ['nonsense', headers({ 'x-ratelimit-remaining': 'NaN' })],
  ['an empty value', headers({ 'x-ratelimit-remaining': '' })],
  ['a negative value', headers({ 'x-ratelimit-remaining': '-1' })],
])('%s is an unknown quota', (_, given) => {
  expect(quotaOf(given)).toBeUndefined();
});

test('unknown is full, and so is a quota whose reset is over', () => {
  expect(remainingOf(undefined, NOW)).toBe(Infinity);
  expect(remainingOf(quota(0, NOW), NOW)).toBe(Infinity);
  expect(remainingOf(quota(7), NOW)).toBe(7);
  expect(isAtReserve(undefined, 0.2, 0, NOW)).toBe(false);
  expect(isAtReserve(quota(0, NOW), 0.2, 0, NOW)).toBe(false);
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
