import { Deadline } from '../../../lambda-src/shared/deadline';

let now: number;
const after = (seconds: number) => Deadline.after(seconds * 1000, () => now);
beforeEach(() => { now = 1_000_000; });

test('a share ends when a third of the time in which something may be started is used up', () => {
  const share = after(100).share();
  now += 29_999;
  expect(share.isOpen()).toBe(true);
  now += 1;
  expect(share.isOpen()).toBe(false);
});

test('one share after the other always leaves time', () => {
  const deadline = after(100);
  for (let step = 1; step <= 5; step += 1) {
    const share = deadline.share();
    expect(share.isOpen()).toBe(true);
    while (share.isOpen()) now += 1;
    expect(deadline.isOpen()).toBe(true);
  }
});

test.each([10, 5, 0])('of a deadline with %d seconds left nothing can be shared', (seconds) => {
  const deadline = after(seconds);
  expect([deadline.isOpen(), deadline.share().isOpen()]).toEqual([false, false]);
});
