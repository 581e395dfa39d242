import { Pacer } from '../../../lambda-src/github/pacer';

let now: number;
let pacer: Pacer;

beforeEach(() => {
  now = 1_000_000;
  pacer = new Pacer(() => now);
});

test('the first write does not wait, the next one waits for what is missing', () => {
  expect(pacer.pause).toBe(0);
  pacer.writes();
  now += 500;
  expect(pacer.pause).toBe(1500);
  now += 5000;
  expect(pacer.pause).toBe(0);
});

test('a clock that is set back by an hour costs one pause, not an hour without deletions', () => {
  pacer.writes();
  now -= 3_600_000;
  expect(pacer.pause).toBe(2000);
});
