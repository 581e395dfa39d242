import { Deadline } from '../../../lambda-src/shared/deadline';
import { DeadlineError } from '../../../lambda-src/shared/errors';

let now: number;
beforeEach(() => { now = 1_000_000; });

const after = (milliseconds: number) => Deadline.after(milliseconds, () => now);

test('what is left goes down with the clock, and never below nothing', () => {
  const deadline = after(1000);
  now += 400;
  expect(deadline.remaining).toBe(600);
  now += 700;
  expect(deadline.remaining).toBe(0);
});

test.each([[60_000, 0, true], [10_001, 0, true], [10_000, 0, false], [0, 0, false], [60_000, 49_999, true], [60_000, 50_000, false]])(
  'with %d ms left, after %d ms more something new may be started: %s', (left, more, expected) => {
    expect(after(left).isOpen(more)).toBe(expected);
  });

test('inside the last ten seconds a check throws and says for what there was no time, before them it does nothing', () => {
  expect(() => after(10_001).check('a page')).not.toThrow();
  expect(() => after(10_000).check('a page')).toThrow(new DeadlineError('no time left for a page'));
});

test('an earlier deadline ends so much before the other, which stays as it is', () => {
  const whole = after(60_000);
  const part = whole.earlier(20_000);
  expect([part.remaining, whole.remaining]).toEqual([40_000, 60_000]);
  now += 30_000;
  expect([part.isOpen(), whole.isOpen()]).toEqual([false, true]);
});

test('a share ends when a third of the time in which something may be started is used up', () => {
  const share = after(100_000).share();
  now += 29_999;
  expect(share.isOpen()).toBe(true);
  now += 1;
  expect(share.isOpen()).toBe(false);
});

test('one share after the other always leaves time', () => {
  const deadline = after(100_000);
  for (let step = 1; step <= 5; step += 1) {
    const share = deadline.share();
    expect(share.isOpen()).toBe(true);
    while (share.isOpen()) now += 1;
    expect(deadline.isOpen()).toBe(true);
  }
});

test.each([10, 5, 0])('of a deadline with %d seconds left nothing can be shared', (seconds) => {
  const deadline = after(seconds * 1000);
  expect([deadline.isOpen(), deadline.share().isOpen()]).toEqual([false, false]);
});

describe('the signal of one call', () => {
  let timeouts: number[];
  beforeEach(() => {
    timeouts = [];
    jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
      timeouts.push(milliseconds);
      return new AbortController().signal;
    });
  });
  afterEach(() => { jest.restoreAllMocks(); });

  test.each([[60_000, 10_000], [10_000, 10_000], [9_999, 9_999], [0, 0]])('with %d ms left comes after %d ms: the smaller of ten seconds and the time left', (left, expected) => {
    after(left).signal();
    expect(timeouts).toEqual([expected]);
  });

  test('counts from the call, not from the beginning of the invocation', () => {
    const deadline = after(12_000);
    now += 5_000;
    deadline.signal();
    expect(timeouts).toEqual([7_000]);
  });
});
