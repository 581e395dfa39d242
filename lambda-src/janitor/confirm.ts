import type { Candidate } from './candidate';
import { parseCandidate, supersedes } from './candidate';
import { ConfirmationReport } from './confirmation-report';
import type { ReadingPorts } from './group-reading';
import { Membership } from './membership';
import type { CandidateQueue, DeleteAnswer, Machines, MachineState, RunnerGroup } from './ports';
import { sampleProof } from './sample-proof';
import type { ProofResult } from './scope-proof';
import type { Policy, Verdict } from './verdict';
import { judgeMachine, judgeMessage, judgeRegistration } from './verdict';
import type { Clock } from '../shared/deadline';
import { describeError, MalformedInputError, ReadAgainError } from '../shared/errors';

export interface ConfirmationPorts extends ReadingPorts {
  readonly machines: Machines;
  readonly queue: CandidateQueue;
  readonly now: Clock;
}

/** One message as SQS delivered it; `sentAt` in milliseconds, NaN where SQS did not say. */
export interface Received {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly sentAt: number;
  /** by the word of SQS, not of the body */
  readonly fromFirstLook: boolean;
}

/** What a deletion is aimed at. */
interface Target {
  readonly id: number;
  readonly group: RunnerGroup;
}

/**
 * The second look: everything afresh, the message first, then the machines of the whole batch together with a sample of each
 * group, and last of all each registration. Opening a batch never throws.
 */
export async function openBatch(ports: ConfirmationPorts, policy: Policy, received: readonly Received[]): Promise<ConfirmationBatch> {
  const opened = received.map((message) => openMessage(ports, policy, message));
  const worthAsking = opened.flatMap(({ candidate, machine, verdict }) => (
    verdict || machine === undefined ? [] : [{ group: candidate?.registration?.group, machine }]
  ));
  const groups = new Map(worthAsking.flatMap(({ group }) => (group ? [[group.key, group] as const] : [])));
  const { states, proofs } = await sampleProof(ports, policy, [...groups.values()], worthAsking.map(({ machine }) => machine));
  return new ConfirmationBatch(ports, policy, opened, states, proofs);
}

interface Opened {
  readonly message: Received;
  /** undefined: the body is malformed */
  readonly candidate: Candidate | undefined;
  /** undefined: the name is not ours */
  readonly machine: string | undefined;
  /**
   * By the message alone, once and before anybody is asked: judged again later, it could have come of age in between, and its machine
   * would be one that nobody has looked up. Undefined: the rest has to be looked at.
   */
  readonly verdict: Verdict | undefined;
}

function openMessage({ machines, now, log }: ConfirmationPorts, policy: Policy, message: Received): Opened {
  const candidate = parse(message);
  if ('problem' in candidate) {
    return { message, candidate: undefined, machine: undefined, verdict: { action: 'acknowledge', outcome: 'malformed', reason: candidate.problem } };
  }
  // by the dozen this would mean that AWS no longer names senders as it did
  if (candidate.registration && !candidate.fromFirstLook) {
    log.warn('a candidate that no first look of ours has sent', { messageId: message.messageId, runner: candidate.name });
  }
  const machine = machines.resourceIdOf(candidate.name);
  const verdict = judgeMessage({ candidate, sentAt: message.sentAt, now: now(), ours: machine !== undefined }, policy);
  return { message, candidate, machine, verdict };
}

function parse({ body, fromFirstLook }: Received): Candidate | { readonly problem: string } {
  try {
    return parseCandidate(body, fromFirstLook);
  } catch (error) {
    if (!(error instanceof MalformedInputError)) throw error;
    return { problem: error.message };
  }
}

export class ConfirmationBatch {
  readonly report = new ConfirmationReport();
  private readonly membership: Membership;
  private configuredGroups: Promise<readonly RunnerGroup[]> | undefined;

  constructor(
    private readonly ports: ConfirmationPorts,
    private readonly policy: Policy,
    private readonly opened: readonly Opened[],
    private readonly states: ReadonlyMap<string, MachineState>,
    private readonly proofs: ReadonlyMap<string, ProofResult>,
  ) {
    this.membership = new Membership(ports);
  }

  /**
   * Judges one message and carries the verdict out. Returns whether the message is done; false: it goes back to the queue, as one does
   * that is not in the batch. Never throws.
   */
  async settle(messageId: string): Promise<boolean> {
    const opened = this.opened.find(({ message }) => message.messageId === messageId);
    if (!opened) return false;
    const verdict = this.unlessSuperseded(opened, await this.judge(opened));
    this.report.count(verdict);
    this.ports.log.info('second look', {
      outcome: verdict.action === 'delete' ? 'delete' : verdict.outcome,
      reason: verdict.reason,
      messageId,
      runner: opened.candidate?.name,
      id: opened.candidate?.registration?.id,
      group: opened.candidate?.registration?.group.name,
    });
    if (verdict.action === 'postpone') await this.postpone(opened.message, verdict.seconds);
    return verdict.action === 'acknowledge';
  }

  private async judge({ candidate, machine, verdict }: Opened): Promise<Verdict> {
    if (verdict) return verdict;
    if (!candidate || machine === undefined) return { action: 'return', outcome: 'unknown', reason: 'nobody has looked for a machine' };
    try {
      const proof = candidate.registration ? this.proofs.get(candidate.registration.group.key) ?? 'unproven' : 'unproven';
      return judgeMachine({ candidate, machine: this.states.get(machine) ?? 'unknown', proof }, this.policy) ?? await this.judgeAndDelete(candidate);
    } catch (error) {
      return { action: 'return', outcome: 'unknown', reason: describeError(error) };
    }
  }

  private async judgeAndDelete(candidate: Candidate): Promise<Verdict> {
    const target = await this.targetOf(candidate);
    if ('action' in target) return target;
    try {
      return await this.readAndDelete(candidate, target);
    } catch (error) {
      if (!(error instanceof ReadAgainError)) throw error;
      this.ports.log.info('the registration is read again before its DELETE is repeated', { runner: candidate.name, id: target.id, reason: error.message });
      return this.readAndDelete(candidate, target);
    }
  }

  private async readAndDelete(candidate: Candidate, target: Target): Promise<Verdict> {
    // before the last read, so that nothing stands between that read and the DELETE
    if (!this.policy.dryRun) await this.ports.registrations.turnToDelete(target.group);
    const verdict = await this.lastRead(candidate, target);
    if (verdict.action !== 'delete') return verdict;
    this.ports.deadline.check('the DELETE');
    return deletionVerdict(await this.ports.registrations.delete(target.group, target.id));
  }

  private async lastRead(candidate: Candidate, { id, group }: Target): Promise<Verdict> {
    const read = async () => {
      this.ports.deadline.check('reading the registration');
      return this.ports.registrations.find(group, id);
    };
    let registration = await read();
    let member: boolean | 'unknown' = 'unknown';
    if (typeof registration !== 'string' && registration.groupKey === undefined) {
      member = await this.membership.has(group, id);
      registration = await read();
    }
    return judgeRegistration({ candidate, id, groupKey: group.key, registration, member }, this.policy);
  }

  /** A nomination knows only a name: the registration that bears it now is looked for, and has to stand in a configured group. */
  private async targetOf({ name, registration, fromFirstLook }: Candidate): Promise<Target | Verdict> {
    if (registration) return fromFirstLook ? registration : this.inConfiguredGroup(registration);
    this.ports.deadline.check('looking for the nominated name');
    const found = (await this.ports.registrations.findByName(name)).find((one) => one.name === name);
    if (!found) return { action: 'acknowledge', outcome: 'alreadyGone', reason: 'no registration has this name' };
    for (const group of await this.listGroups()) {
      const member = found.groupKey === undefined ? await this.membership.has(group, found.id) : found.groupKey === group.key;
      if (member === 'unknown') return { action: 'return', outcome: 'unknown', reason: `group ${group.name} could not be read` };
      if (member) return { id: found.id, group };
    }
    return { action: 'acknowledge', outcome: 'outOfScope', reason: 'the registration is in no configured group' };
  }

  /** The first look takes its groups from GitHub's list; others may write any group into a message that has the right digest. */
  private async inConfiguredGroup(target: Target): Promise<Target | Verdict> {
    const configured = this.policy.groupKeys ?? (await this.listGroups()).map(({ key }) => key);
    if (configured.includes(target.group.key)) return target;
    return { action: 'acknowledge', outcome: 'outOfScope', reason: `group ${target.group.key} is not configured` };
  }

  /** Once for the whole batch. */
  private listGroups(): Promise<readonly RunnerGroup[]> {
    this.ports.deadline.check('listing the groups');
    return this.configuredGroups ??= this.ports.registrations.listGroups();
  }

  /** A younger message takes the place of one that cannot be judged. */
  private unlessSuperseded(opened: Opened, verdict: Verdict): Verdict {
    if (verdict.action !== 'return' || !opened.candidate) return verdict;
    const older = opened.candidate;
    const later = this.opened.slice(this.opened.indexOf(opened) + 1);
    if (!later.some(({ candidate }) => candidate && supersedes(candidate, older))) return verdict;
    return { action: 'acknowledge', outcome: 'unknown', reason: `${verdict.reason}; superseded by a younger message` };
  }

  private async postpone({ receiptHandle, messageId }: Received, seconds: number): Promise<void> {
    try {
      await this.ports.queue.postpone(receiptHandle, seconds);
    } catch (error) {
      // the message comes back after the queue's own visibility timeout instead
      this.ports.log.warn('the message could not be postponed', { messageId, error: describeError(error) });
    }
  }
}

function deletionVerdict(answer: DeleteAnswer): Verdict {
  const reasons: Readonly<Record<DeleteAnswer, string>> = {
    deleted: 'both looks agree that the machine is gone',
    alreadyGone: 'DELETE answered 404',
    becameBusy: 'DELETE answered 422: the runner is running a job',
    refused: 'DELETE answered 403: the credential may not delete this registration',
  };
  return { action: 'acknowledge', outcome: answer, reason: reasons[answer] };
}
