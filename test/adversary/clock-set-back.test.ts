import { Deadline } from '../../lambda-src/shared/deadline';
import { QuotaReserveError } from '../../lambda-src/shared/errors';
import { Harness } from '../lambda-src/github/harness';
import { MINUTE, World } from '../support/janitor/world';

/** The clock of a warm function is set back by a day: nothing may stand still until it has caught up, and no run may go on for longer. */

const DAY = 24 * 60 * MINUTE;

describe('a function that left an App alone asks it again in the next run', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await Harness.start();
  });
  afterEach(() => harness.github.stop());

  const LIST = /runner-groups$/;
  const ending = (fault: { clear(): void }) => () => fault.clear();

  test.each<[string, (harness: Harness) => () => unknown]>([
    ['it was limited for an hour', ({ github }) => ending(github.fault({ path: LIST }, { retryAfter: 3600 }))],
    ['it met a secondary limit', ({ github }) => ending(github.fault({ path: LIST }, 'secondary403'))],
    ['its quota was used up', ({ github }) => ending(github.fault({ path: LIST }, 'limit403'))],
    ['its token was refused', ({ github }) => ending(github.fault({ path: LIST }, { status: 401 }))],
    ['its quota was down to the reserve', ({ github }) => {
      github.setRemaining(50_000, 900);
      return () => github.setRemaining(50_000, 5000);
    }],
  ])('because %s', async (_, trouble) => {
    expect(harness.addApp(1)).toBe(50_000);
    const github = harness.connect();
    const run = async () => {
      const session = await github.session(harness.deadline(20));
      await session.listGroups();
      return session.listGroups();
    };
    const end = trouble(harness);
    await expect(run()).rejects.toThrow();
    await expect(run()).rejects.toThrow();
    end();
    harness.time -= DAY;
    expect(await run()).toHaveLength(1);
  });

  test('because it had no token, although there is another one', async () => {
    [1, 2].forEach((appId) => harness.addApp(appId));
    harness.github.fault({ path: /access_tokens$/, app: 1, times: 1 }, { status: 502 });
    const github = harness.connect();
    const run = async () => (await github.session(harness.deadline())).listGroups();
    const askers = () => harness.github.requests.filter(({ path }) => LIST.test(path)).map(({ appId }) => appId);
    await run();
    await run();
    expect(askers()).toEqual([2, 2]);
    harness.time -= DAY;
    await run();
    expect(askers()).toEqual([2, 2, 1]);
  });

  test('and still keeps the reserve', async () => {
    const installation = harness.addApp(1);
    const github = harness.connect();
    harness.github.setRemaining(installation, 1004);
    await (await github.session(harness.deadline())).listGroups();
    harness.time -= DAY;
    harness.github.setRemaining(installation, 1004);
    const session = await github.session(harness.deadline());
    await session.listGroups();
    await expect(session.listGroups()).rejects.toThrow(QuotaReserveError);
  });
});

describe('a run that has begun', () => {
  test('does not go on for longer than its function may', async () => {
    const world = new World();
    for (let n = 0; n < 5000; n += 1) world.living();
    let passed = 0;
    world.before = (what) => {
      if (!what.startsWith('page')) return;
      passed += 8_000;
      world.now += 8_000;
      if (what === 'page 1 5') world.now -= 60 * MINUTE;
    };
    await world.discover(300);
    expect(passed).toBeGreaterThan(200_000);
    expect(passed).toBeLessThan(300_000);
  });

  test('has no more time than when it last looked, and what passes afterwards counts', () => {
    let now = DAY;
    const deadline = Deadline.after(300_000, () => now);
    now += 100_000;
    expect(deadline.remaining).toBe(200_000);
    now -= DAY;
    expect(deadline.remaining).toBe(200_000);
    now += 150_000;
    expect(deadline.remaining).toBe(50_000);
    now -= 1000;
    expect(deadline.remaining).toBe(50_000);
    now += 45_000;
    expect(deadline.isOpen()).toBe(false);
  });
});
