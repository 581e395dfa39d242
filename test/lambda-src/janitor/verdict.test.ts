import * as fc from 'fast-check';
import type { Candidate } from '../../../lambda-src/janitor/candidate';
import { asNomination } from '../../../lambda-src/janitor/candidate';
import { isGroupGone, unlessGroupGone } from '../../../lambda-src/janitor/group-verdict';
import type { MachineState, Registration } from '../../../lambda-src/janitor/ports';
import type { ProofResult } from '../../../lambda-src/janitor/scope-proof';
import type { Policy, Verdict } from '../../../lambda-src/janitor/verdict';
import { firstLook, judgeMachine, judgeMessage, judgeRegistration } from '../../../lambda-src/janitor/verdict';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const OLD = NOW - 900_000;
const policy: Policy = { scope: 's', groupKeys: undefined, dryRun: false, evidence: 'absent', protectedLabels: ['keep'], acknowledgedForeignRunners: ['p_foreign'] };
const candidate: Candidate = {
  registration: { id: 10, scope: 's', group: { key: '1', name: 'spot', pages: 1 } }, name: 'p_x', observedAt: OLD, evidence: 'absent', mode: 'armed',
};
const registration: Registration = { id: 10, name: 'p_x', status: 'offline', busy: false, labels: [], groupKey: '1' };

interface Look {
  candidate: Candidate;
  /** by SQS's word our own first look has sent it */
  fromFirstLook: boolean;
  sentAt: number;
  ours: boolean;
  machine: MachineState;
  proof: ProofResult;
  registration: Registration | 'gone' | 'unproven';
  member: boolean | 'unknown';
  /** the sample of the group was answered with 404 */
  answered404: boolean;
  /** keys of the configured groups that GitHub has */
  listed: readonly string[] | undefined;
}

const ghost: Look = { candidate, fromFirstLook: true, sentAt: OLD, ours: true, machine: 'absent', proof: 'holds', registration, member: 'unknown', answered404: false, listed: ['1'] };

/** The whole second look over one set of facts. */
function secondLook(change: Partial<Look> = {}, using: Partial<Policy> = {}): Verdict {
  const facts = { ...ghost, ...change };
  const rules = { ...policy, ...using };
  const believed = { ...facts, candidate: facts.fromFirstLook ? facts.candidate : asNomination(facts.candidate) };
  const verdict = judgeMessage({ ...facts, now: NOW }, rules) ??
    judgeMachine(believed, rules) ?? judgeRegistration({ ...believed, id: 10, groupKey: '1' }, rules);
  return unlessGroupGone(verdict, isGroupGone('1', facts.answered404, facts.listed));
}

const outcome = (verdict: Verdict) => (verdict.action === 'delete' ? 'delete' : verdict.outcome);

test('when every fact says ghost, it is deleted', () => {
  expect(outcome(secondLook())).toBe('delete');
});

test.each<[string, Partial<Look>, Partial<Policy>, string, Verdict['action']]>([
  ['another scope', {}, { scope: 't' }, 'outOfScope', 'acknowledge'],
  ['a name that is not ours', { ours: false }, {}, 'outOfScope', 'acknowledge'],
  ['an acknowledged foreign runner', { candidate: { ...candidate, name: 'p_foreign' } }, {}, 'protected', 'acknowledge'],
  ['observed in the future', { candidate: { ...candidate, observedAt: NOW + 1 } }, {}, 'malformed', 'acknowledge'],
  ['no time of sending', { sentAt: NaN }, {}, 'malformed', 'acknowledge'],
  ['older than a day', { candidate: { ...candidate, observedAt: NOW - 86_400_001 }, sentAt: NOW - 86_400_001 }, {}, 'expired', 'acknowledge'],
  ['observed more than a day ago, sent again since', { candidate: { ...candidate, observedAt: NOW - 86_400_001 } }, {}, 'expired', 'acknowledge'],
  ['a group that is not configured', {}, { groupKeys: ['2'] }, 'outOfScope', 'acknowledge'],
  ['a group that is configured', {}, { groupKeys: ['2', '1'] }, 'delete', 'delete'],
  ['a nomination, whose group is looked for', { candidate: nomination(), machine: 'terminated' }, { groupKeys: ['2'] }, 'delete', 'delete'],
  ['an acknowledged foreign runner in another case', {}, { acknowledgedForeignRunners: [' P_X'] }, 'protected', 'acknowledge'],
  ['sent too late for its age', { sentAt: OLD + 1 }, {}, 'tooEarly', 'postpone'],
  ['observed too late', { candidate: { ...candidate, observedAt: OLD + 1 } }, {}, 'tooEarly', 'postpone'],
  ['nominated in dry run, armed since', { candidate: { ...candidate, mode: 'dryRun' } }, {}, 'nominatedInDryRun', 'acknowledge'],
  ['nominated in dry run', { candidate: { ...candidate, mode: 'dryRun' } }, { dryRun: true }, 'wouldDelete', 'acknowledge'],
  ['nominated armed, dry run since', {}, { dryRun: true }, 'wouldDelete', 'acknowledge'],
  ['the machine is there', { machine: 'present' }, {}, 'machinePresent', 'acknowledge'],
  ['the machine is unknown', { machine: 'unknown' }, {}, 'unknown', 'return'],
  ['only absence where termination is asked for', {}, { evidence: 'terminated' }, 'evidenceInsufficient', 'acknowledge'],
  ['termination seen by the first look', { candidate: { ...candidate, evidence: 'terminated' } }, { evidence: 'terminated' }, 'delete', 'delete'],
  ['termination seen by the second look', { machine: 'terminated' }, { evidence: 'terminated' }, 'delete', 'delete'],
  ['the proof is violated', { proof: 'violated' }, {}, 'scopeSuspect', 'acknowledge'],
  ['the proof is open', { proof: 'unproven' }, {}, 'unknown', 'return'],
  ['a violated proof and a machine seen terminated', { proof: 'violated', machine: 'terminated' }, {}, 'delete', 'delete'],
  ['the registration is gone', { registration: 'gone' }, {}, 'alreadyGone', 'acknowledge'],
  ['a 404 that proves nothing', { registration: 'unproven' }, {}, 'unknown', 'return'],
  ['another id in the answer', { registration: { ...registration, id: 11 } }, {}, 'unknown', 'return'],
  ['another name', { registration: { ...registration, name: 'p_y' } }, {}, 'renamed', 'acknowledge'],
  ['online', { registration: { ...registration, status: 'online' } }, {}, 'cameOnline', 'acknowledge'],
  ['a status nobody knows', { registration: { ...registration, status: '' } }, {}, 'cameOnline', 'acknowledge'],
  ['busy unknown', { registration: { ...registration, busy: undefined as never } }, {}, 'stuckBusy', 'acknowledge'],
  ['offline and busy', { registration: { ...registration, busy: true } }, {}, 'stuckBusy', 'acknowledge'],
  ['another group', { registration: { ...registration, groupKey: '2' } }, {}, 'moved', 'acknowledge'],
  ['no group named, not a member', { registration: { ...registration, groupKey: undefined }, member: false }, {}, 'moved', 'acknowledge'],
  ['no group named, membership unknown', { registration: { ...registration, groupKey: undefined } }, {}, 'unknown', 'return'],
  ['no group named, a member', { registration: { ...registration, groupKey: undefined }, member: true }, {}, 'delete', 'delete'],
  ['a protected label', { registration: { ...registration, labels: ['KEEP'] } }, {}, 'protected', 'acknowledge'],
  ['a protected label, listed with blanks around it', { registration: { ...registration, labels: ['precious'] } }, { protectedLabels: [' Precious '] }, 'protected', 'acknowledge'],
  ['a blank among the protected labels', {}, { protectedLabels: ['', ' '] }, 'delete', 'delete'],
  ['sent by somebody else', { fromFirstLook: false }, {}, 'evidenceInsufficient', 'acknowledge'],
  ['sent by somebody else who claims termination', { fromFirstLook: false, candidate: { ...candidate, evidence: 'terminated' } }, {}, 'evidenceInsufficient', 'acknowledge'],
  ['sent by somebody else, termination seen by the second look', { fromFirstLook: false, machine: 'terminated' }, {}, 'delete', 'delete'],
  ['sent by somebody else, in dry run', { fromFirstLook: false, machine: 'terminated', candidate: { ...candidate, mode: 'dryRun' } }, {}, 'nominatedInDryRun', 'acknowledge'],
  ['sent by somebody else, for another scope', { fromFirstLook: false, machine: 'terminated' }, { scope: 't' }, 'outOfScope', 'acknowledge'],
  ['the group was removed, so that nothing can be proven', { proof: 'unproven', answered404: true, listed: ['2'] }, {}, 'moved', 'acknowledge'],
  ['the group was removed, and a 404 on the registration proves nothing', { machine: 'terminated', proof: 'unproven', registration: 'unproven', answered404: true, listed: [] }, {}, 'moved', 'acknowledge'],
  ['the group was removed, and no answer names another', { machine: 'terminated', registration: { ...registration, groupKey: undefined }, answered404: true, listed: [] }, {}, 'moved', 'acknowledge'],
  ['the group was removed, and the machine is there', { machine: 'present', proof: 'unproven', answered404: true, listed: [] }, {}, 'machinePresent', 'acknowledge'],
  ['the group answers 404, but GitHub lists it', { proof: 'unproven', answered404: true }, {}, 'unknown', 'return'],
  ['the group answers 404, and nobody knows the groups', { proof: 'unproven', answered404: true, listed: undefined }, {}, 'unknown', 'return'],
  ['a nomination, machine absent', { candidate: nomination() }, {}, 'evidenceInsufficient', 'acknowledge'],
  ['a nomination, machine terminated', { candidate: nomination(), machine: 'terminated' }, {}, 'delete', 'delete'],
])('%s', (_, change, using, expected, action) => {
  const verdict = secondLook(change, using);
  expect([outcome(verdict), verdict.action]).toEqual([expected, action]);
  expect(verdict.reason).not.toBe('');
});

test('too early says how long to wait', () => {
  expect(secondLook({ sentAt: OLD + 61_500 })).toMatchObject({ action: 'postpone', seconds: 62 });
});

function nomination(): Candidate {
  return { registration: undefined, name: 'p_x', observedAt: undefined, evidence: undefined, mode: undefined };
}

/** Every fact and a version of it that is known less well, or says more clearly that somebody lives. */
const doubts: ReadonlyArray<(look: Look) => Look> = [
  (look) => ({ ...look, machine: 'unknown' }),
  (look) => ({ ...look, machine: 'present' }),
  (look) => ({ ...look, proof: look.proof === 'holds' ? 'unproven' : look.proof }),
  (look) => ({ ...look, proof: 'violated' }),
  (look) => ({ ...look, registration: 'unproven' }),
  (look) => ({ ...look, ours: false }),
  (look) => ({ ...look, sentAt: NaN }),
  (look) => ({ ...look, sentAt: NOW }),
  (look) => ({ ...look, candidate: { ...look.candidate, evidence: look.candidate.evidence && 'absent' } }),
  (look) => ({ ...look, candidate: { ...look.candidate, mode: 'dryRun' } }),
  (look) => ({ ...look, fromFirstLook: false }),
  (look) => ({ ...look, listed: undefined }),
  (look) => ({ ...look, answered404: false }),
  (look) => ({ ...look, member: look.member === true ? 'unknown' : look.member }),
  ...(['status', 'busy', 'groupKey', 'name', 'id'] as const).map((field) => (look: Look): Look => (
    typeof look.registration === 'string' ? look : { ...look, registration: { ...look.registration, [field]: undefined as never }, member: 'unknown' }
  )),
];

/** At most three things are replaced: of more, hardly anything would be left that a broken rule could delete. */
function replaced<T extends object>(whole: T, others: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  const keys = Object.keys(whole) as (keyof T)[];
  return fc.tuple(fc.record(others as never), fc.subarray(keys, { maxLength: 3 }))
    .map(([values, which]) => ({ ...whole, ...Object.fromEntries(which.map((key) => [key, (values as T)[key]])) }));
}

const registrations = replaced<Registration>(registration, {
  id: fc.constantFrom(10, 11),
  name: fc.constantFrom('p_x', 'p_y'),
  status: fc.constantFrom('offline', 'online', 'idle'),
  busy: fc.constantFrom(true, undefined as never),
  labels: fc.constantFrom([], ['keep'], ['other']),
  groupKey: fc.constantFrom('1', '2', undefined),
});

const looks = replaced<Look>(ghost, {
  candidate: replaced<Candidate>(candidate, {
    registration: fc.constantFrom({ ...candidate.registration!, scope: 't' }, undefined),
    name: fc.constantFrom('p_x', 'p_foreign'),
    observedAt: fc.constantFrom(OLD - 1e6, OLD - 1e8, NOW, NOW + 5, undefined),
    evidence: fc.constantFrom('terminated', undefined),
    mode: fc.constantFrom('dryRun', undefined),
  }),
  fromFirstLook: fc.constant(false),
  sentAt: fc.constantFrom(OLD - 5000, NOW, NaN),
  ours: fc.constant(false),
  machine: fc.constantFrom<MachineState>('present', 'terminated', 'unknown'),
  proof: fc.constantFrom<ProofResult>('violated', 'unproven'),
  registration: fc.oneof({ arbitrary: fc.constantFrom('gone' as const, 'unproven' as const), weight: 1 }, { arbitrary: registrations, weight: 4 }),
  member: fc.constantFrom<boolean | 'unknown'>(true, false),
  answered404: fc.constant(true),
  listed: fc.constantFrom<Look['listed']>(['2'], undefined),
});
const policies = fc.record({ dryRun: fc.boolean(), evidence: fc.constantFrom<Policy['evidence']>('absent', 'terminated') });

test('adding doubt to any fact never turns keep into delete', () => {
  fc.assert(fc.property(looks, policies, (look, using) => (
    secondLook(look, using).action === 'delete' || doubts.every((doubt) => secondLook(doubt(look), using).action !== 'delete')
  )), { numRuns: 20_000 });
});

test('adding doubt to any fact of the first look never turns keep into a candidate', () => {
  const unclear: readonly Partial<Registration>[] = [{ status: undefined as never }, { busy: undefined as never }, { busy: true }, { labels: ['keep'] }, {}];
  const machines = fc.constantFrom<MachineState>('present', 'terminated', 'absent', 'unknown');
  fc.assert(fc.property(registrations, machines, fc.constantFrom(...unclear), (found, machine, doubt) => (
    'candidate' in firstLook(found, machine, policy) || 'keep' in firstLook({ ...found, ...doubt }, doubt === unclear.at(-1) ? 'unknown' : machine, policy)
  )), { numRuns: 20_000 });
});

test('nothing is ever deleted in dry run', () => {
  fc.assert(fc.property(looks, (look) => secondLook(look, { dryRun: true }).action !== 'delete'), { numRuns: 5000 });
});

test('what is deleted is offline, idle, unmoved, unprotected, of the same id and name, and its machine is gone', () => {
  let deletions = 0;
  fc.assert(fc.property(looks, policies, (look, using) => {
    if (secondLook(look, using).action !== 'delete') return true;
    deletions += 1;
    const found = look.registration as Registration;
    return found.status === 'offline' && found.busy === false && found.id === 10 && found.name === look.candidate.name && found.groupKey !== '2' &&
      !found.labels.includes('keep') && (look.machine === 'absent' || look.machine === 'terminated') && look.ours && look.sentAt <= OLD;
  }), { numRuns: 50_000 });
  // a property over no example would prove nothing
  expect(deletions).toBeGreaterThan(10);
});

test('the first look never nominates what the second would keep for the same facts', () => {
  fc.assert(fc.property(looks, (look) => {
    if (typeof look.registration === 'string') return true;
    const first = firstLook(look.registration, look.machine, policy);
    if ('keep' in first) return true;
    const verdict = judgeRegistration({ candidate, id: look.registration.id, groupKey: '1', registration: { ...look.registration, name: 'p_x', groupKey: '1' }, member: true }, policy);
    return verdict.action === 'delete';
  }));
});
