import fc from 'fast-check';
import { FUZZ_RUNS, FUZZ_TIMEOUT_MS } from './fuzz-runs';
import { MemoryExecutions, MemoryLedger } from './memory-ports';
import { lineageOf, replacementName } from '../../../lambda-src/stolen/lineage';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const INPUT = '{"jobId":100}';

async function lineage(name: string, others: Record<string, string>, recorded: readonly string[] = []) {
  const executions = new MemoryExecutions();
  const ledger = new MemoryLedger();
  for (const [other, input] of Object.entries({ ...others, [name]: INPUT })) executions.all.set(other, { name: other, input, life: 'running', endedAt: undefined });
  for (const runnerName of recorded) await ledger.recordRunner({ jobId: 100, runnerName, labels: undefined });
  return { ...await lineageOf({ name, input: INPUT, jobId: 100 }, { executions, ledger }), asked: executions.calls.length + ledger.reads.length };
}

test('the first replacement of a runner carries its name and -r1', () => {
  expect(replacementName('app-1f2e', 1)).toBe('app-1f2e-r1');
  expect(replacementName('x'.repeat(61), 3)).toBe(`${'x'.repeat(61)}-r3`);
});

test('case 36: a name that must be cut stays within 64 characters and tells its place', () => {
  expect(replacementName('x'.repeat(64), 2)).toMatch(/^x{52}-[0-9a-f]{8}-r2$/);
});

test('case 36: two long names never share a replacement', () => {
  const long = fc.tuple(fc.stringMatching(/^[a-c]{3}$/), fc.stringMatching(/^[ab]{9,12}$/)).map(([head, tail]) => head + '-'.repeat(52) + tail).map((name) => name.slice(0, 64));
  fc.assert(fc.property(long, long, fc.integer({ min: 1, max: 9 }), (one, other, position) => {
    const names = [replacementName(one, position), replacementName(other, position)] as const;
    expect(names[0] === names[1]).toBe(one === other);
    for (const name of names) expect(name).toMatch(/^[\w.-]{1,64}$/);
  }), { numRuns: FUZZ_RUNS });
});

test('a name without a suffix is the first of its lineage, and nobody is asked', async () => {
  expect(await lineage('app', {})).toEqual({ base: 'app', position: 0, asked: 0 });
});

test('a suffix counts when the base is an execution with the same input', async () => {
  expect(await lineage('app-r2', { app: INPUT })).toMatchObject({ base: 'app', position: 2 });
});

test.each([
  ['there is no base', {}],
  ['the base was started with another input', { app: '{"jobId": 100}' }],
])('case 36: a native name that happens to end in -r3 is no lineage: %s', async (_, others) => {
  expect(await lineage('app-r3', others)).toMatchObject({ base: 'app-r3', position: 0 });
});

test('the base of a cut name is found among the runners of the same job', async () => {
  const base = `${'x'.repeat(60)}-abc`;

  expect(await lineage(replacementName(base, 2), { [base]: INPUT }, ['other', base])).toMatchObject({ base, position: 2 });
});

test('a cut name whose base nobody recorded is the first of its own', async () => {
  const base = `${'x'.repeat(60)}-abc`;
  const name = replacementName(base, 2);

  expect(await lineage(name, { [base]: INPUT }, [])).toMatchObject({ base: name, position: 0 });
});
