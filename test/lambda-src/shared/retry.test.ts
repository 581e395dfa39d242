import { Deadline } from '../../../lambda-src/shared/deadline';
import { DeadlineError, LimitError, NotFoundError, PermissionError, TransientError } from '../../../lambda-src/shared/errors';
import { retrying } from '../../../lambda-src/shared/retry';

let now: number;
let pauses: number[];
beforeEach(() => {
  now = 0;
  pauses = [];
});

/** Ports with so many seconds left; `random` decides how the pauses come out. */
function ports(seconds = 60, random = 0) {
  return {
    deadline: Deadline.after(seconds * 1000, () => now),
    sleep: async (milliseconds: number) => {
      pauses.push(milliseconds);
      now += milliseconds;
    },
    random: () => random,
  };
}

/** Fails with each of these in turn, then answers. */
function failing(...errors: readonly Error[]) {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    if (error) throw error;
    return 'answer';
  };
}

const transient = (count: number) => Array.from({ length: count }, (_, index) => new TransientError(`502 number ${index + 1}`));

test('what succeeds at once is tried once, without a pause', async () => {
  expect(await retrying(ports(), 'a page', failing())).toBe('answer');
  expect(pauses).toEqual([]);
});

test('two transient failures are forgotten', async () => {
  expect(await retrying(ports(), 'a page', failing(...transient(2)))).toBe('answer');
  expect(pauses).toHaveLength(2);
});

test('the third failure in a row is final', async () => {
  let calls = 0;
  const errors = transient(10);
  await expect(retrying(ports(), 'a page', async () => { throw errors[calls++]!; })).rejects.toBe(errors[2]);
  expect(calls).toBe(3);
  expect(pauses).toHaveLength(2);
});

test.each([[0, [500, 1000]], [0.5, [750, 1500]], [1, [1000, 2000]]])('pauses double, and chance (%d) takes up to a half from each, so that functions that failed together do not come back together', async (random, expected) => {
  await retrying(ports(60, random), 'a page', failing(...transient(2)));
  expect(pauses).toEqual(expected);
});

test.each([
  new LimitError('limit'), new PermissionError('403'), new NotFoundError('404'), new DeadlineError('late'), new TypeError('a bug'),
])('%s goes through at once', async (error) => {
  let calls = 0;
  await expect(retrying(ports(), 'a page', async () => {
    calls += 1;
    throw error;
  })).rejects.toBe(error);
  expect({ calls, pauses }).toEqual({ calls: 1, pauses: [] });
});

test('nothing is tried when the time is up, and the error says what', async () => {
  let calls = 0;
  await expect(retrying(ports(10), 'a page', async () => { calls += 1; })).rejects.toThrow(new DeadlineError('no time left for a page'));
  expect(calls).toBe(0);
});

test('a pause after which nothing could be started is not begun: the failure itself is the answer', async () => {
  const [error] = transient(1);
  // the pause is 500 ms, and nothing new is started inside the last ten seconds
  await expect(retrying(ports(10.4), 'a page', failing(error!))).rejects.toBe(error);
  expect(pauses).toEqual([]);
  expect(await retrying(ports(10.6), 'a page', failing(error!))).toBe('answer');
});

test('an attempt that uses up the time is not followed by another', async () => {
  const [error] = transient(1);
  let calls = 0;
  await expect(retrying(ports(20), 'a page', async () => {
    calls += 1;
    now += 10_000;
    throw error!;
  })).rejects.toBe(error);
  expect({ calls, pauses }).toEqual({ calls: 1, pauses: [] });
});
