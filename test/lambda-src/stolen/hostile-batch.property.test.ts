import fc from 'fast-check';
import { Fleet } from './fleet';
import { FUZZ_TIMEOUT_MS, HISTORY_RUNS } from './fuzz-runs';
import { RUNNER_NAME } from '../../../src/contract/report-message';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const FIELD = fc.oneof(fc.jsonValue(), fc.constantFrom(1, 'log', 'signed', 'R1', 'R2', 'acme/app', 'other/tools', 100, 200, '../../x', 'a b'));
const SHAPED = fc.record({
  version: fc.constant(1), source: fc.constantFrom('log', 'signed'), runnerName: FIELD, repository: FIELD, runId: FIELD, jobId: FIELD,
}, { requiredKeys: ['version', 'source'] });
const BODY = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), SHAPED.map((value) => JSON.stringify(value)));

test('whatever stands on the queue and in the executions, the batch is judged to its end, and nobody is asked about a name that cannot be', async () => {
  await fc.assert(fc.asyncProperty(fc.array(BODY, { minLength: 1, maxLength: 10 }), fc.json(), fc.string(), async (bodies, input, name) => {
    const fleet = new Fleet();
    fleet.executions.all.set('R1', { name: 'R1', input, life: 'running', endedAt: undefined });
    await fleet.start('R2', 200);
    await fleet.ledger.recordRunner({ jobId: 100, runnerName: name, labels: undefined });

    const theft = fleet.signed('R2', 900, { repository: 'other/tools' });
    const honest = bodies.filter((body) => !body.includes('R2'));
    const { started } = await fleet.deliver([...honest, theft]);

    expect(started).toContain('R2-r1');
    expect(fleet.executions.calls.filter(({ key }) => !RUNNER_NAME.test(key))).toEqual([]);
    expect(fleet.jobs.calls.filter(({ key }) => !/^[\w-]+\/[\w.-]+#[\w.-]+$/.test(key) || key.includes('..'))).toEqual([]);
  }), { numRuns: HISTORY_RUNS });
});

test('a recorded name that no runner can have is not looked up', async () => {
  const fleet = new Fleet();
  await fleet.start('R2', 200);
  await fleet.ledger.recordRunner({ jobId: 100, runnerName: '../a b', labels: undefined });
  await fleet.deliver([fleet.signed('R2', 100)]);

  expect(fleet.executions.calls.map(({ key }) => key)).toEqual(['R2']);
});
