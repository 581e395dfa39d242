import { Pacer } from '../../../lambda-src/janitor/pacer';
import { Deadline } from '../../../lambda-src/shared/deadline';
import { DeadlineError } from '../../../lambda-src/shared/errors';

let now: number;
let slept: number[];
let pacer: Pacer;
const clock = () => now;

beforeEach(() => {
  now = 1_000_000;
  slept = [];
  pacer = new Pacer(2000, clock, async (milliseconds) => { slept.push(milliseconds); now += milliseconds; });
});

test('the first write does not wait, the next one waits for what is missing', async () => {
  await pacer.wait(Deadline.after(60_000, clock));
  now += 500;
  await pacer.wait(Deadline.after(60_000, clock));
  expect(slept).toEqual([1500]);
});

test('a pause that would outlast the invocation is refused at once', async () => {
  await pacer.wait(Deadline.after(60_000, clock));
  await expect(pacer.wait(Deadline.after(11_000, clock))).rejects.toThrow(DeadlineError);
  expect(slept).toEqual([]);
});

test('a clock that is set back by an hour costs one pause, not an hour without deletions', async () => {
  await pacer.wait(Deadline.after(60_000, clock));
  now -= 3_600_000;
  await pacer.wait(Deadline.after(60_000, clock));
  expect(slept).toEqual([2000]);
});
