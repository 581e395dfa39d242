import { setImmediate as working } from 'node:timers/promises';
import { VirtualTime } from './virtual-time';

test('time moves to the next wake-up when everybody sleeps, and never while anybody works', async () => {
  const time = new VirtualTime();
  const start = time.now();
  const story: string[] = [];
  const tell = (what: string) => story.push(`${what} ${time.now() - start}`);
  await time.run([
    async () => {
      await time.sleep(100);
      tell('one');
      await working();
      await working();
      tell('one still');
      await time.sleep(200);
      tell('one');
    },
    async () => {
      await time.sleep(101);
      tell('two');
      await time.sleep(100);
      tell('two');
    },
  ]);
  expect(story).toEqual(['one 100', 'one still 100', 'two 101', 'two 201', 'one 300']);
});

test('whoever ends lets the others go on', async () => {
  const time = new VirtualTime();
  const start = time.now();
  await time.run([async () => working(), async () => time.sleep(5000)]);
  expect(time.now() - start).toBe(5000);
});
