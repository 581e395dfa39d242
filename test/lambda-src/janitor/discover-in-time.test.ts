import * as fc from 'fast-check';
import { TransientError } from '../../../lambda-src/shared/errors';
import { machineId, World } from '../../support/janitor/world';

/** Slow hosts: a run ends before its time is up, and what it has found gets onto the queue. */

const SECONDS = 300;

let world: World;
beforeEach(() => { world = new World(); });

/** How many seconds each kind of call takes; the clients cut every one off after ten. */
function slow(seconds: { readonly page?: number; readonly lookup?: number; readonly find?: number; readonly send?: number }): (what: string) => void {
  return (what) => { world.now += 1000 * (seconds[what.split(' ')[0] as keyof typeof seconds] ?? 0); };
}

/** One run in the whole time of the function; says how long it took. */
async function run() {
  const start = world.now;
  const report = await world.discover(SECONDS);
  return { report, seconds: (world.now - start) / 1000 };
}

const populate = (registrations: number) => {
  for (let n = 0; n < registrations; n += 1) if (n % 50 === 0) world.living(); else world.ghost();
};

test('whatever pages, look-ups and failures take, all that was found is queued, and the run ends in time', async () => {
  const upToTen = fc.integer({ min: 1, max: 100 }).map((tenths) => tenths / 10);
  await fc.assert(fc.asyncProperty(upToTen, upToTen, fc.integer({ min: 2, max: 40 }), fc.nat(60), async (page, lookup, failing, turn) => {
    world = new World();
    world.now += turn * world.policy.interval;
    world.policy = { ...world.policy, candidatesPerRun: 1000 };
    populate(6000);
    const pass = slow({ page, lookup, send: 0.1 });
    world.before = (what) => {
      pass(what);
      if (/^page/.test(what) && Number(what.split(' ')[2]) % failing === 0) throw new TransientError('502');
    };
    const { report, seconds } = await run();
    expect(report.queued).toBeGreaterThan(0);
    expect(report.sendsFailed).toBe(0);
    expect(seconds).toBeLessThan(SECONDS);
  }), { numRuns: 40 });
}, 120_000);

test('a page that uses up its time, and its retries, leave enough to queue a thousand candidates', async () => {
  world.policy = { ...world.policy, candidatesPerRun: 1000 };
  populate(2900);
  const pass = slow({ page: 10, lookup: 0.3, send: 0.1 });
  const end = world.now + SECONDS * 1000;
  world.before = (what) => {
    pass(what);
    if (what.startsWith('page') && end - world.now < 60_000) throw new TransientError('no complete answer in time');
  };
  const { report, seconds } = await run();
  expect(report).toMatchObject({ queued: 1000, sendsFailed: 0 });
  expect(seconds).toBeLessThan(SECONDS);
});

test.each([[8, 9.9], [6, 10], [9.5, 9.5], [5.5, 0.7]])('machines seen terminated on the last page that there was time for are queued (%s s a page, %s s a look-up)', async (page, lookup) => {
  populate(5000);
  for (const { id, status } of world.registrations.get('1')!) if (status === 'offline') world.machines.set(machineId(id), 'terminated');
  world.policy = { ...world.policy, candidatesPerRun: 5000 };
  world.before = slow({ page, lookup });
  const { report } = await run();
  expect(report.endedEarly?.reason).toBe('deadline');
  expect(report.sendsFailed).toBe(0);
  expect(report.queued).toBe(report.keptBecause.online! * 49);
});

test('a suspect that there is no time to look at once more withholds what rests on absence', async () => {
  world.add({ status: 'online' });
  populate(5000);
  world.before = slow({ page: 10, lookup: 9, find: 10 });
  const { report, seconds } = await run();
  expect(report).toMatchObject({ queued: 0, violations: [], endedEarly: { reason: 'deadline' } });
  expect(report.withheld).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(SECONDS);
});
