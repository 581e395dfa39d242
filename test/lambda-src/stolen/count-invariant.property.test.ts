import fc from 'fast-check';
import { FUZZ_TIMEOUT_MS, HISTORY_RUNS } from './fuzz-runs';
import { History } from './history';
import type { Move } from './history';

type Kind = Move['kind'];

jest.setTimeout(FUZZ_TIMEOUT_MS);

const HARMLESS: readonly Kind[] = ['job', 'job', 'job', 'pick', 'pick', 'pick', 'cancel', 'end', 'again', 'read', 'read', 'repeat', 'forgeRun', 'forgeRepository'];
/** The label rule looks one swap ahead, so where runners have more labels than their jobs need, it finds no gap that several swaps have made. */
const WITH_SPACIOUS = [...HARMLESS, 'spaciousJob', 'spaciousJob'] as const;
const HEARD: readonly Move['channel'][] = ['log', 'signed', 'both'];
const number = fc.nat({ max: 1000 });

const moves = (kinds: readonly Kind[], channels: readonly Move['channel'][]): fc.Arbitrary<Move[]> =>
  fc.array(fc.record({ kind: fc.constantFrom(...kinds), first: number, second: number, channel: fc.constantFrom(...channels) }), { maxLength: 60, size: 'max' });

async function played(history: readonly Move[]): Promise<{ open: number; started: number; truth: History['truth'] }> {
  const play = new History();
  await play.play(history);
  await play.settle();
  fc.pre(!play.gaveUp);
  return { open: play.open.length, started: play.fleet.executions.started.length, truth: play.truth };
}

test('with thefts and swaps only, every job that was not cancelled is picked up in the end', async () => {
  await fc.assert(fc.asyncProperty(moves([...HARMLESS, 'steal', 'steal'], HEARD), async (history) => {
    const { open } = await played(history);
    expect(open).toBe(0);
  }), { numRuns: HISTORY_RUNS });
});

test('with deaths and lost reports, no more jobs are left than runners were lost without anybody knowing', async () => {
  await fc.assert(fc.asyncProperty(moves([...HARMLESS, 'steal', 'steal', 'die'], [...HEARD, 'lost']), async (history) => {
    const { open, truth } = await played(history);
    expect(open).toBeLessThanOrEqual(truth.unusedDeaths + truth.unheard);
  }), { numRuns: HISTORY_RUNS });
});

test('a death is paid for once somebody runs the dead runner\'s job', async () => {
  await fc.assert(fc.asyncProperty(moves([...HARMLESS, 'die'], HEARD), async (history) => {
    const { open, truth } = await played(history);
    expect(open).toBeLessThanOrEqual(truth.unusedDeaths - truth.debts);
  }), { numRuns: HISTORY_RUNS });
});

test('there are never more replacements than thefts, debts and label gaps', async () => {
  await fc.assert(fc.asyncProperty(moves([...WITH_SPACIOUS, 'steal', 'steal', 'die'], [...HEARD, 'lost']), async (history) => {
    const { started, truth } = await played(history);
    expect(started).toBeLessThanOrEqual(truth.outsiders + truth.debts + truth.labelGaps);
  }), { numRuns: HISTORY_RUNS });
});

test('forged, repeated, late and lost reports of a fleet from which nothing was taken start nothing', async () => {
  await fc.assert(fc.asyncProperty(moves([...WITH_SPACIOUS, 'die'], [...HEARD, 'lost']), async (history) => {
    const { started, truth } = await played(history);
    fc.pre(truth.debts + truth.labelGaps === 0);
    expect(started).toBe(0);
  }), { numRuns: HISTORY_RUNS });
});
