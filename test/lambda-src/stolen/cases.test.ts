import { Fleet } from './fleet';
import { LimitError, TransientError } from '../../../lambda-src/shared/errors';
import type { ReportMessage } from '../../../src/contract/report-message';

// the numbers are those of the cases from the field that these tests fix

const NOTHING = { counts: {}, returned: [], postponed: [], started: [] };
const OUTSIDER = 'other/tools';

describe('a job that nobody started a runner for', () => {
  test('case 30: costs the robbed runner one replacement with the same input, byte for byte', async () => {
    const fleet = new Fleet();
    const input = await fleet.start('R1', 100);

    const delivery = await fleet.deliver([fleet.picks('R1', 200, { repository: OUTSIDER })]);

    expect(delivery).toEqual({ ...NOTHING, counts: { stolenByOutsider: 1, replaced: 1 }, started: ['R1-r1'] });
    expect(fleet.executions.all.get('R1-r1')!.input).toBe(input);
  });

  test('is named in the log: repository, run, job and labels of the thief, and who was robbed', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);

    await fleet.deliver([fleet.picks('R1', 200, { repository: OUTSIDER, runId: 7, labels: ['self-hosted'] })]);

    expect(fleet.log.lines).toContainEqual({
      level: 'warn',
      message: 'a runner was stolen and has been replaced',
      fields: {
        verdict: 'stolen',
        reason: 'outsider',
        runner: 'R1',
        startedForJob: 100,
        thief: { repository: OUTSIDER, runId: 7, jobId: 200, labels: ['self-hosted'] },
        replacement: { kind: 'replaced', name: 'R1-r1' },
      },
    });
  });

  test('case 33: is replaced although the robbed job already runs on another runner: the count is what matters', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    await fleet.deliver([fleet.picks('R2', 100)]);

    expect((await fleet.deliver([fleet.picks('R1', 900, { repository: OUTSIDER })])).started).toEqual(['R1-r1']);
  });

  test('case 35: is one start and one metric, however often it is reported', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    const report = fleet.picks('R1', 900, { repository: OUTSIDER });

    const first = await fleet.deliver([report, fleet.signed('R1', 900, { repository: OUTSIDER }), report]);
    fleet.now += 10 * 60_000;
    const later = await fleet.deliver([report]);

    expect(first).toEqual({ ...NOTHING, counts: { stolenByOutsider: 1, replaced: 1 }, started: ['R1-r1'] });
    expect(later).toEqual(NOTHING);
  });

  test('case 36: is replaced three times in a row, then given up with a signal, once', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    const started: string[] = [];
    for (const [index, runner] of ['R1', 'R1-r1', 'R1-r2'].entries()) {
      started.push(...(await fleet.deliver([fleet.picks(runner, 900 + index, { repository: OUTSIDER })])).started);
    }
    const fourth = fleet.picks('R1-r3', 950, { repository: OUTSIDER });

    expect(started).toEqual(['R1-r1', 'R1-r2', 'R1-r3']);
    expect(await fleet.deliver([fourth])).toEqual({ ...NOTHING, counts: { stolenByOutsider: 1, gaveUp: 1 } });
    expect(await fleet.deliver([fourth])).toEqual(NOTHING);
    expect(fleet.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  test('case 37: is replaced once where one of two runners for a job was stolen, and not at all where the other one idles', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R2', 100);

    expect((await fleet.deliver([fleet.picks('R1', 100)])).started).toEqual([]);
    expect((await fleet.deliver([fleet.picks('R2', 900, { repository: OUTSIDER })])).started).toEqual(['R2-r1']);
  });
});

describe('jobs that were started for somebody', () => {
  test('case 31: two runners that swapped their jobs are left alone', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);

    expect(await fleet.deliver([fleet.picks('R1', 200), fleet.picks('R2', 100)])).toEqual(NOTHING);
  });

  test('case 32: a stolen runner, its replacement and a swap need no second replacement', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    expect((await fleet.deliver([fleet.picks('R2', 900, { repository: OUTSIDER })])).started).toEqual(['R2-r1']);

    expect(await fleet.deliver([fleet.picks('R1', 200)])).toEqual(NOTHING);
    expect(await fleet.deliver([fleet.picks('R2-r1', 100)])).toEqual(NOTHING);
  });

  test('case 32: three runners that passed their jobs round are left alone', async () => {
    const fleet = new Fleet();
    for (const [name, job] of [['R1', 100], ['R2', 200], ['R3', 300]] as const) await fleet.start(name, job, { labels: 'linux,x64,big' });

    expect(await fleet.deliver([fleet.picks('R1', 200), fleet.picks('R2', 300), fleet.picks('R3', 100)])).toEqual(NOTHING);
  });

  test('case 32: a runner that took the job of one that had died unused is replaced: nobody is left to pay it back', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    fleet.end('R1', 'failed', Date.parse('2026-05-01T10:00:00Z'));
    const report = fleet.picks('R2', 100, { startedAt: Date.parse('2026-05-01T10:05:00Z') });

    expect(await fleet.deliver([report])).toEqual({ ...NOTHING, counts: { stolenByDebt: 1, replaced: 1 }, started: ['R2-r1'] });
  });

  test('case 32: two short swapped jobs that are over before any report is read are left alone', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    const ten = Date.parse('2026-05-01T10:00:00Z');
    const first = fleet.picks('R1', 200, { startedAt: ten });
    fleet.end('R1', 'failed', ten + 20_000);
    const second = fleet.picks('R2', 100, { startedAt: ten + 30_000 });
    fleet.end('R2', 'succeeded', ten + 50_000);

    expect(await fleet.deliver([second, first])).toEqual(NOTHING);
  });

  test('a runner that ended well had run something, even if its report never came', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    fleet.end('R1', 'succeeded', fleet.now - 10 * 60_000);

    expect(await fleet.deliver([fleet.picks('R2', 100)])).toEqual(NOTHING);
  });

  test('an execution of another job that bears a recorded name pays nothing back', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    await fleet.start('R9', 555);
    await fleet.ledger.recordRunner({ jobId: 100, runnerName: 'R9', labels: undefined });
    fleet.end('R1', 'failed', fleet.now - 10 * 60_000);

    expect(await fleet.deliver([fleet.picks('R2', 100)])).toMatchObject({ counts: { stolenByDebt: 1 }, started: ['R2-r1'] });
  });

  test('the webhook decides about a debt by its own start time, and without one GitHub is asked', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    fleet.end('R1', 'failed', fleet.now - 5 * 60_000);
    const { startedAt: _, ...withoutTime } = fleet.signed('R2', 100, { startedAt: fleet.now - 60_000 });

    expect((await fleet.deliver([withoutTime])).started).toEqual(['R2-r1']);
    expect(fleet.jobs.calls.map(({ key }) => key)).toEqual(['acme/app#100', 'acme/app#200']);
  });

  test('case 42: a large runner that took the job of a small one is replaced: the small one cannot run its job', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100, { labels: 'self-hosted,linux' });
    await fleet.start('R2', 200, { labels: 'self-hosted,linux,large', jobLabels: 'Self-Hosted,LARGE' });

    expect(await fleet.deliver([fleet.picks('R2', 100)])).toEqual({ ...NOTHING, counts: { stolenByLabels: 1, replaced: 1 }, started: ['R2-r1'] });
  });

  test('case 42: labels that nobody knows never convict', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R2', 200, { labels: 'self-hosted,large' });
    await fleet.start('R3', 300, { labels: 'self-hosted,small' });
    await fleet.start('R4', 400);

    expect(await fleet.deliver([fleet.picks('R2', 100), fleet.picks('R4', 300)])).toEqual(NOTHING);
  });

  test.each([
    ['queued, in_progress, completed', ['record', 'report', 'end']],
    ['in_progress, queued, completed', ['report', 'record', 'end']],
    ['queued, completed, in_progress', ['record', 'end', 'report']],
    ['in_progress, completed, queued', ['report', 'end', 'record']],
    ['completed, in_progress, queued', ['end', 'report', 'record']],
    ['completed, queued, in_progress', ['end', 'record', 'report']],
  ])('case 34: %s within the delay of the queue: no replacement', async (_, order) => {
    const fleet = new Fleet();
    await fleet.start('R1', 100, { recorded: false });
    await fleet.start('R2', 200);
    let report: ReportMessage | undefined;
    for (const event of order) {
      if (event === 'record') await fleet.ledger.recordRunner({ jobId: 100, runnerName: 'R1', labels: undefined });
      if (event === 'report') report = fleet.picks('R2', 100);
      if (event === 'end') fleet.end('R2', 'succeeded');
    }

    expect(await fleet.deliver([report!])).toEqual(NOTHING);
  });

  test('case 41: a run that was tried again is searched for the job that ran on our runner', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    fleet.picks('R7', 99, { runId: 5 });
    const report = fleet.picks('R1', 100, { runId: 5 });

    expect(await fleet.deliver([report])).toEqual(NOTHING);
  });
});

describe('reports that prove nothing', () => {
  test('of a runner that is none of ours cost one look-up', async () => {
    const fleet = new Fleet();

    expect(await fleet.deliver([fleet.picks('stranger', 900, { repository: OUTSIDER })])).toEqual(NOTHING);
    expect(fleet.jobs.calls).toEqual([]);
  });

  test.each(['{"jobId":-1}', '{"jobId":0}', '{"jobId":"100"}', '{"jobId":1.5}', '{}', 'null', '[]'])('of a runner that was started for nobody, %s, cost no request to GitHub', async (input) => {
    const fleet = new Fleet();
    fleet.executions.all.set('warm', { name: 'warm', input, life: 'running', endedAt: undefined });

    expect(await fleet.deliver([fleet.picks('warm', 900, { repository: OUTSIDER })])).toEqual(NOTHING);
    expect(fleet.jobs.calls).toEqual([]);
  });

  test('case 38: a forged log line does not keep the signed webhook from counting', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    const forged: ReportMessage = { version: 1, source: 'log', runnerName: 'R1', repository: 'acme/app', runId: 12345 };

    const delivery = await fleet.deliver([forged, fleet.signed('R1', 900, { repository: OUTSIDER })]);

    expect(delivery.started).toEqual(['R1-r1']);
    expect(delivery.postponed).toEqual([30]);
  });

  test('case 39: a runner that runs its own job and prints a foreign repository starts nothing', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    fleet.picks('R1', 100);
    fleet.jobs.notInstalled.add(OUTSIDER);

    const delivery = await fleet.deliver([{ version: 1, source: 'log', runnerName: 'R1', repository: OUTSIDER, runId: 5 }]);

    expect(delivery).toEqual({ ...NOTHING, counts: { forged: 1 } });
  });

  test('case 39: a runner that prints the name of one that idles starts nothing', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    fleet.jobs.notInstalled.add(OUTSIDER);
    fleet.jobs.idle.add('R1');

    const delivery = await fleet.deliver([{ version: 1, source: 'log', runnerName: 'R1', repository: OUTSIDER, runId: 5 }]);

    expect(delivery).toEqual({ ...NOTHING, counts: { forged: 1 } });
  });

  test('a runner that is known to have run something else did not run in a foreign repository as well', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    await fleet.deliver([fleet.signed('R1', 200)]);
    fleet.jobs.notInstalled.add(OUTSIDER);

    const delivery = await fleet.deliver([{ version: 1, source: 'log', runnerName: 'R1', repository: OUTSIDER, runId: 5 }]);

    expect(delivery).toEqual({ ...NOTHING, counts: { forged: 1 } });
  });

  test('a repository where the App is not installed convicts when nothing speaks against it', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    fleet.jobs.notInstalled.add(OUTSIDER);
    const report: ReportMessage = { version: 1, source: 'log', runnerName: 'R1', repository: OUTSIDER, runId: 5 };

    expect(await fleet.deliver([report])).toEqual({ ...NOTHING, counts: { stolenByOutsider: 1, replaced: 1 }, started: ['R1-r1'] });
    // the pick-up is known now, and is no proof against its own copy
    expect(await fleet.deliver([report])).toEqual(NOTHING);
  });

  test('with a token a 404 never convicts', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    fleet.jobs.notInstalled.add(OUTSIDER);
    fleet.jobs.withToken = true;

    expect(await fleet.deliver([{ version: 1, source: 'log', runnerName: 'R1', repository: OUTSIDER, runId: 5 }])).toEqual({ ...NOTHING, counts: { unverifiable: 1 } });
  });

  test('an App that is not even installed where the runner belongs convicts nobody', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100, { repository: 'acme/app' });
    fleet.jobs.notInstalled.add('Acme/App').add('acme/app');
    const report = { version: 1, source: 'log', runnerName: 'R1', runId: 5 } as const;

    const delivery = await fleet.deliver([report, { ...report, repository: 'Acme/App' }]);

    expect(delivery).toEqual({ ...NOTHING, counts: { unverifiable: 2 } });
  });

  test('a body that cannot be read is dropped and counted; its neighbours are judged', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);

    const delivery = await fleet.deliver(['{', fleet.picks('R1', 900, { repository: OUTSIDER }), '{"version":2}']);

    expect(delivery).toEqual({ ...NOTHING, counts: { malformed: 2, stolenByOutsider: 1, replaced: 1 }, started: ['R1-r1'] });
  });
});

describe('what could not be asked', () => {
  test.each([
    ['a 500', new TransientError('500')],
    ['a rate limit', new LimitError('403')],
  ])('case 40: %s of GitHub returns that report only', async (_, fault) => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    fleet.jobs.faults.set('broken/one', [fault]);
    const broken = fleet.picks('R1', 900, { repository: 'broken/one' });

    expect(await fleet.deliver([broken, fleet.picks('R2', 901, { repository: OUTSIDER })])).toEqual({
      counts: { returned: 1, stolenByOutsider: 1, replaced: 1 }, returned: ['R1'], postponed: [], started: ['R2-r1'],
    });
    expect((await fleet.deliver([broken])).started).toEqual(['R1-r1']);
  });

  test('a start that fails returns the report, and the next time it is one start', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    const report = fleet.picks('R1', 900, { repository: OUTSIDER });
    fleet.executions.faults.push(undefined, new TransientError('throttled'));

    expect(await fleet.deliver([report])).toEqual({ counts: { returned: 1 }, returned: ['R1'], postponed: [], started: [] });
    expect(await fleet.deliver([report])).toEqual({ ...NOTHING, counts: { stolenByOutsider: 1, replaced: 1 }, started: ['R1-r1'] });
  });

  test('a start whose answer is lost is reported when the report comes back, once', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    const report = fleet.picks('R1', 900, { repository: OUTSIDER });
    jest.spyOn(fleet.ledger, 'announce').mockRejectedValueOnce(new TransientError('killed'));

    expect(await fleet.deliver([report])).toEqual({ counts: { returned: 1 }, returned: ['R1'], postponed: [], started: ['R1-r1'] });
    expect(await fleet.deliver([report])).toEqual({ ...NOTHING, counts: { stolenByOutsider: 1, replaced: 1 } });
    expect(await fleet.deliver([report])).toEqual(NOTHING);
  });

  test('a report that will have expired by then is counted', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    fleet.jobs.faults.set(OUTSIDER, [new TransientError('500')]);

    expect((await fleet.deliver([fleet.picks('R1', 900, { repository: OUTSIDER })], { age: 3500, waited: 3400 })).counts).toEqual({ returned: 1, reportExpired: 1 });
  });

  test('case 40: a run that does not show the runner is looked at after 30, 60 and 120 seconds, then dropped and counted', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    const report: ReportMessage = { version: 1, source: 'log', runnerName: 'R1', repository: OUTSIDER, runId: 5 };
    const waits: number[] = [];
    let waited = 0;
    for (;;) {
      const { postponed, counts, returned } = await fleet.deliver([report], { waited });
      if (returned.length === 0) {
        expect(counts).toEqual({ neverListed: 1 });
        break;
      }
      waits.push(...postponed);
      waited += postponed[0]! + 1;
    }
    expect(waits).toEqual([30, 60, 120]);
    expect(fleet.executions.started).toEqual([]);
  });

  test('where jobs are recorded best effort, an unknown one is waited for, once, for two minutes', async () => {
    const fleet = new Fleet({ recordsLate: true });
    await fleet.start('R1', 100);
    const report = fleet.picks('R1', 900, { repository: OUTSIDER });

    expect(await fleet.deliver([report])).toEqual({ counts: {}, returned: ['R1'], postponed: [120], started: [] });
    expect((await fleet.deliver([report], { waited: 121 })).started).toEqual(['R1-r1']);
  });
});

describe('limits on what is started', () => {
  test('the hourly cap keeps the report, and the next hour serves it', async () => {
    const fleet = new Fleet({ maxReplacementsPerHour: 1 });
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    const reports = [fleet.picks('R1', 900, { repository: OUTSIDER }), fleet.picks('R2', 901, { repository: OUTSIDER })];

    expect(await fleet.deliver(reports)).toEqual({
      counts: { stolenByOutsider: 1, replaced: 1, capReached: 1 }, returned: ['R2'], postponed: [3001], started: ['R1-r1'],
    });
    // what was started already takes no second place under the cap
    expect(await fleet.deliver([reports[0]!])).toEqual(NOTHING);
    fleet.now += 60 * 60_000;
    expect((await fleet.deliver([reports[1]!])).started).toEqual(['R2-r1']);
  });

  test('a report that meets the cap comes back as the next hour begins, before the queue drops it', async () => {
    const fleet = new Fleet({ maxReplacementsPerHour: 1 });
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    fleet.now = Date.parse('2026-05-01T10:05:00Z');
    await fleet.deliver([fleet.picks('R1', 900, { repository: OUTSIDER })]);
    const report = fleet.picks('R2', 901, { repository: OUTSIDER });
    const { postponed } = await fleet.deliver([report]);
    const waited = postponed[0]!;
    fleet.now += waited * 1000;

    expect(waited).toBeLessThan(60 * 60 - 60);
    expect((await fleet.deliver([report], { waited, age: waited + 60 })).started).toEqual(['R2-r1']);
  });

  test('copies of reports on what is replaced already take no place under the cap of another hour', async () => {
    const fleet = new Fleet({ maxReplacementsPerHour: 1 });
    await fleet.start('R1', 100);
    await fleet.start('R2', 200);
    const report = fleet.picks('R1', 900, { repository: OUTSIDER });
    await fleet.deliver([report]);
    fleet.now += 60 * 60_000;

    expect(await fleet.deliver([report])).toEqual(NOTHING);
    expect((await fleet.deliver([fleet.picks('R2', 901, { repository: OUTSIDER })])).started).toEqual(['R2-r1']);
  });

  test('observing judges and reports, once, and starts nothing', async () => {
    const fleet = new Fleet({ observeOnly: true });
    await fleet.start('R1', 100);
    const report = fleet.picks('R1', 900, { repository: OUTSIDER });

    expect(await fleet.deliver([report, report])).toEqual({ ...NOTHING, counts: { stolenByOutsider: 1 } });
    expect(fleet.executions.calls.map(({ what }) => what)).not.toContain('start');
  });

  test('a name of the lineage that belongs to a stranger is passed over', async () => {
    const fleet = new Fleet();
    await fleet.start('R1', 100);
    await fleet.start('R1-r1', 555);

    expect((await fleet.deliver([fleet.picks('R1', 900, { repository: OUTSIDER })])).started).toEqual(['R1-r2']);
  });
});

describe('the cost of a batch of ten', () => {
  const costs = (fleet: Fleet) => ({
    executions: fleet.executions.calls.filter(({ what }) => what === 'find').length,
    jobs: fleet.jobs.calls.length,
    reads: fleet.ledger.reads.length,
  });
  const runners = Array.from({ length: 10 }, (_, index) => ({ name: `R${index}`, job: 100 + index }));

  test.each([
    ['of thefts in logs', 10, (fleet: Fleet, name: string, index: number) => fleet.picks(name, 900 + index, { repository: OUTSIDER })],
    ['of thefts in webhooks', 0, (fleet: Fleet, name: string, index: number) => fleet.signed(name, 900 + index, { repository: OUTSIDER })],
    ['of jobs passed round', 10, (fleet: Fleet, name: string, index: number) => fleet.picks(name, 100 + (index + 1) % 10)],
    ['of jobs passed round, in webhooks', 0, (fleet: Fleet, name: string, index: number) => fleet.signed(name, 100 + (index + 1) % 10)],
  ])('%s is at most 10 executions looked up, %i job look-ups and 10 reads of the table', async (_, lookups, report) => {
    const fleet = new Fleet();
    for (const { name, job } of runners) await fleet.start(name, job);

    await fleet.deliver(runners.map(({ name }, index) => report(fleet, name, index)));

    expect(costs(fleet)).toEqual({ executions: 10, jobs: lookups, reads: 10 });
  });
});
