import fc from 'fast-check';
import { FUZZ_RUNS, FUZZ_TIMEOUT_MS } from './fuzz-runs';
import { covers } from '../../../lambda-src/stolen/covers';
import type { Facts, Member } from '../../../lambda-src/stolen/verdict';
import { hasWorkedBefore, isForged, isOutdated, notListed, reportMayCome, verdictOn } from '../../../lambda-src/stolen/verdict';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const OWN = { id: 200, repository: 'acme/app', needs: ['large'], labels: ['large'] };
const RAN = { id: 100, repository: 'acme/app', runId: 10, runnerName: 'R2', startedAt: 5000, labels: undefined };
const DEAD: Member = { name: 'R1', life: 'failed', endedAt: 4000, pickedUp: false, labels: ['large'] };
const LATER = 10 * 60_000;
const FACTS: Facts = { own: OWN, ran: RAN, members: [], ownJobRanOn: undefined, recordsLate: false, waited: 0, now: LATER };

const verdict = (changes: Partial<Facts>) => {
  const { kind, ...rest } = verdictOn({ ...FACTS, ...changes });
  return `${kind} ${'reason' in rest ? rest.reason : ''}`;
};
const members = (...changes: Partial<Member>[]): Partial<Facts> => ({ members: changes.map((change) => ({ ...DEAD, ...change })) });

test.each<[string, Partial<Facts>, string]>([
  ['its own job', { ran: { ...RAN, id: 200 } }, 'fine ownJob'],
  ['its own job, which nobody recorded', { ran: { ...RAN, id: 200 }, members: undefined }, 'fine ownJob'],
  ['a job that nobody recorded', { members: undefined }, 'stolen outsider'],
  ['a job that may still be recorded', { members: undefined, recordsLate: true, waited: 60 }, 'wait notRecordedYet'],
  ['a job that should have been recorded by now', { members: undefined, recordsLate: true, waited: 120 }, 'stolen outsider'],
  ['the job of one that had died unused', members({}), 'stolen debt'],
  ['the job of two that had died unused', members({}, { endedAt: 3000 }), 'stolen debt'],
  ['the job of one that died so lately that its own report may come', { ...members({}), now: 4000 + 299_000 }, 'wait mayHaveWorked'],
  ['the job of one that died just long enough ago', { ...members({}), now: 4000 + 300_000 }, 'stolen debt'],
  ['the job of two, one of which was lost while it ran this one\'s job', { ...members({}, { name: 'R9' }), ownJobRanOn: 'R9' }, 'fine shuffle'],
  ['the job of one that died unused, while a third one ran this one\'s job', { ...members({}), ownJobRanOn: 'R9' }, 'stolen debt'],
  ['the job of one that died later', members({ endedAt: 6000 }), 'fine shuffle'],
  ['the job of one that died at an unknown time', members({ endedAt: undefined }), 'fine shuffle'],
  ['a job that started at an unknown time', { ...members({}), ran: { ...RAN, startedAt: undefined } }, 'fine shuffle'],
  ['the job of one that had worked before it died', members({ pickedUp: true }), 'fine shuffle'],
  ['the job of one that ended well', members({ life: 'succeeded' }), 'fine shuffle'],
  ['the job of one that still runs', members({}, { life: 'running', endedAt: undefined }), 'fine shuffle'],
  ['the job of one that has yet to start', members({ life: 'future', endedAt: undefined }), 'fine shuffle'],
  ['a recorded job whose runners are not known', members(), 'fine shuffle'],
  ['the job of one that is too small for its own', members({ life: 'running', labels: ['small'] }), 'stolen labels'],
  ['the job of two, one of them large enough', members({ life: 'running', labels: ['small'] }, { life: 'future', labels: ['LARGE', 'small'] }), 'fine shuffle'],
  ['the job of two, the large one dead by then', members({ life: 'running', labels: ['small'] }, {}), 'stolen labels'],
  ['the job of one whose labels are not known', members({ life: 'running', labels: undefined }), 'fine shuffle'],
  ['a job, and its own one has unknown needs', { ...members({ life: 'running', labels: ['small'] }), own: { ...OWN, needs: undefined } }, 'fine shuffle'],
])('a runner that ran %s: the verdict', (_, changes, expected) => {
  expect(verdict(changes)).toBe(expected);
});

test('less knowledge never turns a swap into a theft', () => {
  const member: fc.Arbitrary<Member> = fc.record({
    name: fc.constant('R1'),
    life: fc.constantFrom('future', 'running', 'succeeded', 'failed'),
    endedAt: fc.option(fc.integer({ min: 3000, max: 7000 }), { nil: undefined }),
    pickedUp: fc.boolean(),
    labels: fc.option(fc.subarray(['large', 'small']), { nil: undefined }),
  });
  const facts: fc.Arbitrary<Facts> = fc.record({
    own: fc.record({ id: fc.constant(200), repository: fc.constant('acme/app'), needs: fc.option(fc.subarray(['large', 'small']), { nil: undefined }), labels: fc.constant(undefined) }),
    ran: fc.record({
      id: fc.constant(100),
      repository: fc.constant('acme/app'),
      runId: fc.constant(1),
      runnerName: fc.constant('R2'),
      labels: fc.constant(undefined),
      startedAt: fc.option(fc.constant(5000), { nil: undefined }),
    }),
    members: fc.array(member, { minLength: 1, maxLength: 3 }),
    ownJobRanOn: fc.constant(undefined),
    recordsLate: fc.constant(false),
    waited: fc.constant(0),
    now: fc.constant(LATER),
  });
  const forget: ((facts: Facts) => Facts)[] = [
    (known) => ({ ...known, own: { ...known.own, needs: undefined } }),
    (known) => ({ ...known, members: known.members!.map((one) => ({ ...one, labels: undefined })) }),
    (known) => ({ ...known, members: known.members!.map((one) => ({ ...one, life: 'running' })) }),
  ];
  fc.assert(fc.property(facts, fc.constantFrom(...forget), (known, forgetting) => {
    if (verdictOn(known).kind === 'fine') expect(verdictOn({ ...forgetting(known), ran: known.ran }).kind).toBe('fine');
  }), { numRuns: FUZZ_RUNS });
});

test.each([
  [['Linux', 'LARGE'], ['large'], true],
  [['small'], ['large'], false],
  [[], ['self-hosted', 'Linux', 'X64', 'ARM64', 'windows', 'macOS'], true],
  [['a', 'b', 'c'], ['c', 'a'], true],
  [['a'], ['a', 'b'], false],
  [[], [], true],
])('a runner with %j covers %j: %s', (labels, needs, expected) => {
  expect(covers(labels, needs)).toBe(expected);
});

test.each([[0, 30], [29.9, 30], [30, 60], [89, 60], [90, 120], [209, 120]])('a job that is not listed after %d seconds is looked for again after %d', (waited, seconds) => {
  expect(notListed(waited)).toEqual({ kind: 'wait', reason: 'notListedYet', seconds });
});

test('a job that is not listed after 210 seconds is given up', () => {
  expect(notListed(210)).toEqual({ kind: 'ignored', reason: 'neverListed' });
});

test.each([[4000, 300], [4001, 300], [5000, 299], [303_999, 1], [304_000, 0], [900_000, 0]])(
  'the report of a runner that died at second 4 may come, seen at %d, for %d seconds', (now, seconds) => {
    expect(reportMayCome([DEAD, { ...DEAD, endedAt: 3000 }], now)).toBe(seconds);
  },
);

test('a job waits for 24 hours, and what is not known to be older is not outdated', () => {
  const day = 24 * 60 * 60_000;
  expect([[0, day], [0, day + 1], [undefined, day]].map(([at, now]) => isOutdated(at, now!))).toEqual([false, true, false]);
});

test.each([
  ['nothing is known of it', false, undefined],
  ['it is known to have run just this', false, { runnerName: 'R2', jobId: 100, repository: 'acme/app', runId: 10 }],
  ['it is known to have run another job', true, { runnerName: 'R2', jobId: 99, repository: 'acme/app', runId: 10 }],
  ['nobody could check what it is said to have run', false, { runnerName: 'R2', jobId: undefined, repository: 'other/tools', runId: 5 }],
])('a runner that runs a job, and %s, has worked before: %s', (_, expected, known) => {
  expect(hasWorkedBefore(RAN, known)).toBe(expected);
});

test.each([
  ['nothing is known', { ownJobRanOn: undefined, isIdle: false, knownPickUp: undefined }, false],
  ['its own job runs on another runner', { ownJobRanOn: 'R9', isIdle: false, knownPickUp: undefined }, false],
  ['its own job names it', { ownJobRanOn: 'R1', isIdle: false, knownPickUp: undefined }, true],
  ['it idles', { ownJobRanOn: undefined, isIdle: true, knownPickUp: undefined }, true],
  ['it is known to have run elsewhere', { ownJobRanOn: undefined, isIdle: false, knownPickUp: 'acme/app' }, true],
  ['it is known to have run just there', { ownJobRanOn: undefined, isIdle: false, knownPickUp: 'OTHER/tools' }, false],
])('a line about a repository that we cannot see, and %s: forged is %s', (_, defence, expected) => {
  expect(isForged('R1', 'other/tools', defence)).toBe(expected);
});
