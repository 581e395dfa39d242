import type { Candidate } from './candidate';
import type { MachineState, Registration } from './ports';
import type { ProofResult } from './scope-proof';
import type { Evidence } from '../../src/contract/candidate-message';
import type { EvidencePolicy } from '../../src/contract/janitor-config';
import type { Outcome } from '../../src/contract/janitor-metrics';
import { MAX_AGE_SECONDS, MIN_AGE_SECONDS } from '../../src/contract/limits';

/** What the operator configured; the same for both looks. */
export interface Policy {
  readonly scope: string;
  /** keys of the groups that may hold a candidate; undefined: the configuration alone does not say */
  readonly groupKeys: readonly string[] | undefined;
  readonly dryRun: boolean;
  readonly evidence: EvidencePolicy;
  readonly protectedLabels: readonly string[];
  readonly acknowledgedForeignRunners: readonly string[];
}

/** `acknowledge` and `return` are what happens to the message; every verdict carries its outcome and its reason. */
export type Verdict =
  | { readonly action: 'acknowledge'; readonly outcome: Outcome; readonly reason: string }
  | { readonly action: 'return'; readonly outcome: 'unknown'; readonly reason: string }
  | { readonly action: 'postpone'; readonly outcome: 'tooEarly'; readonly reason: string; readonly seconds: number }
  | { readonly action: 'delete'; readonly reason: string };

type Rule<Facts> = (facts: Facts, policy: Policy) => Verdict | undefined;

const keep = (outcome: Outcome, reason: string): Verdict => ({ action: 'acknowledge', outcome, reason });
const doubt = (reason: string): Verdict => ({ action: 'return', outcome: 'unknown', reason });

// ---- the first look ---------------------------------------------------------------------------------------------------

export type FirstLook =
  | { readonly keep: 'notOurs' | 'acknowledgedForeign' | 'online' | 'protected' | 'stuckBusy' | 'busy' | 'machinePresent' | 'machineUnknown' | 'evidenceInsufficient' | 'statusUnknown' }
  | { readonly candidate: Evidence };

/** Judges one registration by GitHub's page and the machine's state; `machine` is undefined where the name is not ours. */
export function firstLook(registration: Registration, machine: MachineState | undefined, policy: Policy): FirstLook {
  if (machine === undefined) return { keep: 'notOurs' };
  if (isAcknowledgedForeign(registration.name, policy)) return { keep: 'acknowledgedForeign' };
  if (registration.status === 'online') return { keep: 'online' };
  if (registration.status !== 'offline') return { keep: 'statusUnknown' };
  if (isProtected(registration, policy)) return { keep: 'protected' };
  if (machine === 'unknown') return { keep: 'machineUnknown' };
  if (machine === 'present') return { keep: 'machinePresent' };
  if (registration.busy !== false) return { keep: 'stuckBusy' };
  if (policy.evidence === 'terminated' && machine !== 'terminated') return { keep: 'evidenceInsufficient' };
  return { candidate: machine };
}

/** Labels are compared without case, as GitHub does, and without the blanks that people type around them. */
export function isProtected(registration: Registration, policy: Policy): boolean {
  const labels = new Set(registration.labels.map(plain));
  return policy.protectedLabels.some((label) => labels.has(plain(label)));
}

/** What protects is read generously; the scope proof exempts only the exact name. */
export function isAcknowledgedForeign(name: string, policy: Policy): boolean {
  return policy.acknowledgedForeignRunners.some((foreign) => plain(foreign) === plain(name));
}

const plain = (text: string) => text.trim().toLowerCase();

// ---- the second look: the message itself ---------------------------------------------------------------------------------

export interface MessageFacts {
  readonly candidate: Candidate;
  readonly sentAt: number;
  readonly now: number;
  readonly ours: boolean;
}

/** Undefined: nothing in the message forbids a deletion, so it is worth asking the cloud. */
export function judgeMessage(facts: MessageFacts, policy: Policy): Verdict | undefined {
  return first(MESSAGE_RULES, facts, policy);
}

const sameScope: Rule<MessageFacts> = ({ candidate }, policy) =>
  candidate.registration && candidate.registration.scope !== policy.scope
    ? keep('outOfScope', 'nominated under another configuration')
    : undefined;

/** The digest tells of the configuration, not of what a message says beside it. */
const configuredGroup: Rule<MessageFacts> = ({ candidate }, { groupKeys }) =>
  candidate.registration && groupKeys && !groupKeys.includes(candidate.registration.group.key)
    ? keep('outOfScope', `group ${candidate.registration.group.key} is not configured`)
    : undefined;

const ownName: Rule<MessageFacts> = ({ candidate, ours }) =>
  ours ? undefined : keep('outOfScope', `${candidate.name} is not a name the compute provider gives its machines`);

const notAcknowledgedForeign: Rule<MessageFacts> = ({ candidate }, policy) =>
  isAcknowledgedForeign(candidate.name, policy) ? keep('protected', 'listed in acknowledgedForeignRunners') : undefined;

const notFromTheFuture: Rule<MessageFacts> = ({ candidate, now }) =>
  candidate.observedAt !== undefined && candidate.observedAt > now ? keep('malformed', 'observed in the future') : undefined;

/** Arithmetic on a missing SentTimestamp gives NaN, which no comparison below would stop. */
const dated: Rule<MessageFacts> = (facts) => (Number.isFinite(ageInSeconds(facts)) ? undefined : keep('malformed', 'the queue gave no time of sending'));

/** What was sent again, by a redrive of the dead-letter queue for example, is as old as what it reports. */
const notExpired: Rule<MessageFacts> = ({ candidate, sentAt, now }) => {
  const age = (now - Math.min(candidate.observedAt ?? sentAt, sentAt)) / 1000;
  return age > MAX_AGE_SECONDS ? keep('expired', `first look ${Math.round(age)} s ago, at most ${MAX_AGE_SECONDS} s are allowed`) : undefined;
};

const notFromDryRun: Rule<MessageFacts> = ({ candidate }, policy) =>
  candidate.mode === 'dryRun' && !policy.dryRun ? keep('nominatedInDryRun', 'nominated in dry run, which never leads to a deletion') : undefined;

const oldEnough: Rule<MessageFacts> = (facts) => {
  const missing = Math.ceil(MIN_AGE_SECONDS - ageInSeconds(facts));
  return missing > 0
    ? { action: 'postpone', outcome: 'tooEarly', seconds: missing, reason: `${missing} s are missing to the ${MIN_AGE_SECONDS} s between the looks` }
    : undefined;
};

const MESSAGE_RULES = [sameScope, configuredGroup, ownName, notAcknowledgedForeign, notFromTheFuture, dated, notExpired, notFromDryRun, oldEnough];

/** The later of our own first look and of the sending: a copied message is as young as its copy. */
function ageInSeconds({ candidate, sentAt, now }: MessageFacts): number {
  return (now - Math.max(candidate.observedAt ?? sentAt, sentAt)) / 1000;
}

// ---- the second look: machine and scope proof ------------------------------------------------------------------------------

export interface MachineFacts {
  readonly candidate: Candidate;
  readonly machine: MachineState;
  readonly proof: ProofResult;
}

/** Undefined: the machine is gone for certain, so the registration is worth reading. */
export function judgeMachine(facts: MachineFacts, policy: Policy): Verdict | undefined {
  return first(MACHINE_RULES, facts, policy);
}

const machineGone: Rule<MachineFacts> = ({ machine }) => {
  if (machine === 'present') return keep('machinePresent', 'the machine exists');
  if (machine === 'unknown') return doubt('the look-up of the machine failed in at least one place');
  return undefined;
};

const enoughEvidence: Rule<MachineFacts> = (facts, policy) => {
  if (sawFinalState(facts)) return undefined;
  if (!facts.candidate.registration) return keep('evidenceInsufficient', 'a nomination needs a machine that is seen terminated');
  if (policy.evidence === 'terminated') return keep('evidenceInsufficient', 'neither look saw the machine in a final state');
  return undefined;
};

/** A machine that one of our looks saw terminated needs no proof that we look in the right places. */
const scopeProven: Rule<MachineFacts> = (facts) => {
  if (sawFinalState(facts)) return undefined;
  if (facts.proof === 'violated') return keep('scopeSuspect', 'an online runner of the same name pattern has no machine in any configured place');
  if (facts.proof === 'unproven') return doubt('the scope proof could not be repeated');
  return undefined;
};

const MACHINE_RULES = [machineGone, enoughEvidence, scopeProven];

function sawFinalState({ candidate, machine }: MachineFacts): boolean {
  return machine === 'terminated' || candidate.evidence === 'terminated';
}

/** Where only machines seen terminated count, a foreign runner under our prefix is expected: a number, and nothing that calls for anybody. */
export function isViolationAFault({ evidence }: Policy): boolean {
  return evidence === 'absent';
}

// ---- the second look: the registration, read last ----------------------------------------------------------------------------

export interface RegistrationFacts {
  readonly candidate: Candidate;
  readonly id: number;
  /** key of the group the deletion is meant for */
  readonly groupKey: string;
  readonly registration: Registration | 'gone' | 'unproven';
  /** only asked where the registration does not name its group */
  readonly member: boolean | 'unknown';
}

/** Never undefined: after the registration is read, everything is known that can be. */
export function judgeRegistration(facts: RegistrationFacts, policy: Policy): Verdict {
  return first(REGISTRATION_RULES, facts, policy) ?? (policy.dryRun
    ? keep('wouldDelete', 'both looks agree that the machine is gone; dry run')
    : { action: 'delete', reason: 'both looks agree that the machine is gone' });
}

const stillThere: Rule<RegistrationFacts> = ({ registration }) => {
  if (registration === 'gone') return keep('alreadyGone', 'the registration is gone');
  if (registration === 'unproven') return doubt('404 from a credential that has not read the group');
  return undefined;
};

/** The rules below stand behind {@link stillThere}, so there is an answer to look at. */
const seen = (rule: (registration: Registration, facts: RegistrationFacts, policy: Policy) => Verdict | undefined): Rule<RegistrationFacts> =>
  (facts, policy) => (typeof facts.registration === 'string' ? undefined : rule(facts.registration, facts, policy));

const sameIdentity = seen((registration, { candidate, id }) => {
  if (registration.id !== id) return doubt(`asked for registration ${id}, got ${registration.id}`);
  if (registration.name !== candidate.name) return keep('renamed', `the registration is now called ${registration.name}`);
  return undefined;
});

const stillOffline = seen(({ status }) => {
  if (status === 'offline') return undefined;
  return status === 'online' ? keep('cameOnline', 'the runner is online') : keep('cameOnline', `the status is ${JSON.stringify(status)}, not offline`);
});

const notBusy = seen(({ busy }) => (busy === false ? undefined : keep('stuckBusy', 'offline and busy although the machine is gone; GitHub refuses to delete it')));

const sameGroup = seen((registration, { groupKey, member }) => {
  if (registration.groupKey !== undefined) return registration.groupKey === groupKey ? undefined : keep('moved', `now in group ${registration.groupKey}`);
  if (member === 'unknown') return doubt('the group of the registration could not be read');
  return member ? undefined : keep('moved', 'no longer in its group');
});

const notProtected = seen((registration, _facts, policy) => (isProtected(registration, policy) ? keep('protected', 'carries a protected label') : undefined));

const REGISTRATION_RULES = [stillThere, sameIdentity, stillOffline, notBusy, sameGroup, notProtected];

function first<Facts>(rules: ReadonlyArray<Rule<Facts>>, facts: Facts, policy: Policy): Verdict | undefined {
  for (const rule of rules) {
    const verdict = rule(facts, policy);
    if (verdict) return verdict;
  }
  return undefined;
}
