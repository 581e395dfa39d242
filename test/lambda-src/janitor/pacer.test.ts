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

/** With a last read between the pause and the write. */
async function write(reading = 0): Promise<number> {
  await pacer.wait(Deadline.after(60_000, clock));
  now += reading;
  pacer.writes();
  return now;
}

test('the first write does not wait, the next one waits for what is missing', async () => {
  await write();
  now += 500;
  await pacer.wait(Deadline.after(60_000, clock));
  expect(slept).toEqual([1500]);
});

test('writes stay apart, however long the reads before them take', async () => {
  const first = await write(1900);
  const second = await write(10);
  expect(second - first).toBeGreaterThanOrEqual(2000);
});

test('whoever has waited and does not write makes nobody wait', async () => {
  await write();
  await pacer.wait(Deadline.after(60_000, clock));
  await pacer.wait(Deadline.after(60_000, clock));
  expect(slept).toEqual([2000]);
});

test('a pause that would outlast the invocation is refused at once', async () => {
  await write();
  await expect(pacer.wait(Deadline.after(11_000, clock))).rejects.toThrow(DeadlineError);
  expect(slept).toEqual([]);
});

test('a clock that is set back by an hour costs one pause, not an hour without deletions', async () => {
  await write();
  now -= 3_600_000;
  await pacer.wait(Deadline.after(60_000, clock));
  expect(slept).toEqual([2000]);
});
