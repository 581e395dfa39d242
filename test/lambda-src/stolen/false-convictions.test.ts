import { Fleet } from './fleet';
import type { ReportMessage } from '../../../src/contract/report-message';

// each of these would start a runner that nobody needs

const NOTHING = { counts: {}, returned: [], postponed: [], started: [] };
const OUTSIDER = 'other/tools';
const HOUR = 60 * 60_000;

const line = (runnerName: string, repository = OUTSIDER): ReportMessage => ({ version: 1, source: 'log', runnerName, repository, runId: 5 });

let fleet: Fleet;

beforeEach(() => {
  fleet = new Fleet();
  fleet.jobs.notInstalled.add(OUTSIDER);
});

describe('a runner of the past', () => {
  test('whose name somebody prints a day after it ended costs no request to GitHub: its pick-up may be forgotten', async () => {
    await fleet.start('R1', 100);
    fleet.picks('R9', 100);
    fleet.end('R1', 'succeeded', fleet.now - 25 * HOUR);

    expect(await fleet.deliver([line('R1')])).toEqual(NOTHING);
    expect(fleet.jobs.calls).toEqual([]);
  });

  test.each([['log', 25], ['webhook', 25]] as const)('that was robbed longer ago than a job waits is not replaced, when its %s comes again', async (channel, hours) => {
    await fleet.start('R1', 100);
    const theft = { repository: 'acme/tools', startedAt: fleet.now - hours * HOUR };
    const report = channel === 'log' ? fleet.picks('R1', 900, theft) : fleet.signed('R1', 900, theft);

    expect(await fleet.deliver([report])).toEqual(NOTHING);
  });

  test('is replaced as long as its job can be waiting', async () => {
    await fleet.start('R1', 100);
    const report = fleet.signed('R1', 900, { repository: 'acme/tools', startedAt: fleet.now - 23 * HOUR });
    fleet.end('R1', 'succeeded', fleet.now - 22 * HOUR);

    expect((await fleet.deliver([report])).started).toEqual(['R1-r1']);
  });
});

describe('a line about a repository that nobody can see', () => {
  test('convicts no runner whose own repository is not known: nothing could speak for it', async () => {
    fleet.executions.all.set('R1', { name: 'R1', input: '{"jobId":100}', life: 'running', endedAt: undefined });
    fleet.jobs.idle.add('R1');

    expect(await fleet.deliver([line('R1')])).toEqual({ ...NOTHING, counts: { unverifiable: 1 } });
  });

  test('convicts no runner whose own job cannot be seen', async () => {
    await fleet.start('R1', 100);
    fleet.jobs.all.delete(100);

    expect(await fleet.deliver([line('R1')])).toEqual({ ...NOTHING, counts: { unverifiable: 1 } });
  });

  test('convicts no runner of which the same batch tells what it ran, in either order', async () => {
    for (const [runner, job] of [['R1', 100], ['R2', 200], ['R3', 300], ['R4', 400]] as const) await fleet.start(runner, job);

    const delivery = await fleet.deliver([fleet.signed('R1', 200), line('R1'), line('R3'), fleet.signed('R3', 400)]);

    expect(delivery).toEqual({ ...NOTHING, counts: { forged: 2 } });
  });
});

describe('a name that is registered again, because the state machine tried again', () => {
  test('robs nobody when an outsider takes it after its own job', async () => {
    await fleet.start('R1', 100);
    await fleet.deliver([fleet.signed('R1', 100)]);

    expect(await fleet.deliver([fleet.signed('R1', 900, { repository: OUTSIDER })])).toEqual(NOTHING);
  });

  test('robs nobody when an outsider takes it after a swap', async () => {
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    await fleet.deliver([fleet.picks('R1', 200), fleet.picks('R2', 100)]);

    expect(await fleet.deliver([fleet.signed('R2', 900, { repository: OUTSIDER })])).toEqual(NOTHING);
  });

  test('is replaced once, however many outsiders take it', async () => {
    await fleet.start('R1', 100);

    expect((await fleet.deliver([fleet.signed('R1', 900, { repository: OUTSIDER })])).started).toEqual(['R1-r1']);
    expect(await fleet.deliver([fleet.signed('R1', 901, { repository: OUTSIDER })])).toEqual(NOTHING);
  });

  test('still counts as robbed when all that is known before is a line that nobody could check', async () => {
    fleet = new Fleet({ maxReplacementsPerHour: 1 });
    fleet.jobs.notInstalled.add(OUTSIDER);
    await fleet.start('R0', 50);
    await fleet.start('R1', 100);
    await fleet.deliver([fleet.signed('R0', 899, { repository: OUTSIDER }), line('R1')]);
    fleet.now += HOUR;

    expect((await fleet.deliver([fleet.signed('R1', 900, { repository: OUTSIDER })])).started).toEqual(['R1-r1']);
  });
});

describe('the job of a runner that died', () => {
  beforeEach(async () => {
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
  });

  test('a moment ago: its own report may be on its way, and clears it', async () => {
    fleet.end('R1', 'failed', fleet.now - 50_000);
    await fleet.start('R3', 300);
    const own = fleet.picks('R1', 300, { startedAt: fleet.now - 90_000 });
    const swapped = fleet.picks('R2', 100, { startedAt: fleet.now - 40_000 });

    expect(await fleet.deliver([swapped])).toEqual({ ...NOTHING, returned: ['R2'], postponed: [250] });
    expect(await fleet.deliver([own])).toEqual(NOTHING);
    fleet.now += 250_000;
    expect(await fleet.deliver([swapped], { waited: 250 })).toEqual(NOTHING);
  });

  test('a moment ago, and of which nothing was heard in all that time, is a debt', async () => {
    fleet.end('R1', 'failed', fleet.now - 50_000);
    const report = fleet.picks('R2', 100, { startedAt: fleet.now - 40_000 });
    await fleet.deliver([report]);
    fleet.now += 250_000;

    expect(await fleet.deliver([report], { waited: 250 })).toEqual({ ...NOTHING, counts: { stolenByDebt: 1, replaced: 1 }, started: ['R2-r1'] });
  });

  test('at work, and nobody reported that work: GitHub shows that it was the job of the one that runs its own now', async () => {
    fleet.picks('R1', 200, { startedAt: fleet.now - 30 * 60_000 });
    fleet.end('R1', 'failed', fleet.now - 20 * 60_000);

    expect(await fleet.deliver([fleet.picks('R2', 100)])).toEqual(NOTHING);
  });
});

test('two runners of one provider that swapped their jobs are left alone, although their inputs name the labels of the jobs only', async () => {
  await fleet.start('R1', 100, { labels: 'self-hosted,linux', recorded: false });
  await fleet.start('R2', 200, { labels: 'self-hosted,linux,large', recorded: false });
  for (const [runnerName, jobId] of [['R1', 100], ['R2', 200]] as const) await fleet.ledger.recordRunner({ jobId, runnerName, labels: undefined });

  expect(await fleet.deliver([fleet.picks('R1', 200), fleet.picks('R2', 100)])).toEqual(NOTHING);
});
