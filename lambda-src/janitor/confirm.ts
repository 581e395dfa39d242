import type { Candidate } from './candidate';
import { parseCandidate, supersedes } from './candidate';
import { ConfirmationReport } from './confirmation-report';
import type { ReadingPorts } from './group-reading';
import { Membership } from './membership';
import type { Pacer } from './pacer';
import type { CandidateQueue, DeleteAnswer, Machines, MachineState, RunnerGroup } from './ports';
import { sampleProof } from './sample-proof';
import type { ProofResult } from './scope-proof';
import type { Policy, Verdict } from './verdict';
import { judgeMachine, judgeMessage, judgeRegistration } from './verdict';
import type { Clock } from '../shared/deadline';
import { describeError, MalformedInputError } from '../shared/errors';

export interface ConfirmationPorts extends ReadingPorts {
  readonly machines: Machines;
  readonly queue: CandidateQueue;
  readonly pacer: Pacer;
  readonly now: Clock;
}

/** One message as SQS delivered it; `sentAt` in milliseconds, NaN where SQS did not say. */
export interface Received {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly sentAt: number;
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
  const parsed = received.map((message) => parse(message));
  const alive = parsed.flatMap(({ message, candidate }) => {
    if (!candidate) return [];
    const machine = ports.machines.resourceIdOf(candidate.name);
    const verdict = judgeMessage({ candidate, sentAt: message.sentAt, now: ports.now(), ours: machine !== undefined }, policy);
    return machine === undefined || verdict ? [] : [{ group: candidate.registration?.group, machine }];
  });
  const groups = new Map(alive.flatMap(({ group }) => (group ? [[group.key, group] as const] : [])));
  const { states, proofs } = await sampleProof(ports, policy, [...groups.values()], alive.map(({ machine }) => machine));
  return new ConfirmationBatch(ports, policy, parsed, states, proofs);
}

interface Parsed {
  readonly message: Received;
  readonly candidate: Candidate | undefined;
  readonly problem: string;
}

function parse(message: Received): Parsed {
  try {
    return { message, candidate: parseCandidate(message.body), problem: '' };
  } catch (error) {
    if (!(error instanceof MalformedInputError)) throw error;
    return { message, candidate: undefined, problem: error.message };
  }
}

export class ConfirmationBatch {
  readonly report = new ConfirmationReport();
  private readonly membership: Membership;
  private configuredGroups: Promise<readonly RunnerGroup[]> | undefined;

  constructor(
    private readonly ports: ConfirmationPorts,
    private readonly policy: Policy,
    private readonly parsed: readonly Parsed[],
    private readonly states: ReadonlyMap<string, MachineState>,
    private readonly proofs: ReadonlyMap<string, ProofResult>,
  ) {
    this.membership = new Membership(ports);
  }

  /** Judges one message and carries the verdict out. Returns whether the message is done; false: it goes back to the queue. Never throws. */
  async settle(messageId: string): Promise<boolean> {
    const parsed = this.parsed.find(({ message }) => message.messageId === messageId)!;
    const verdict = this.unlessSuperseded(parsed, await this.judge(parsed));
    this.report.count(verdict);
    this.ports.log.info('second look', {
      outcome: verdict.action === 'delete' ? 'delete' : verdict.outcome,
      reason: verdict.reason,
      messageId,
      runner: parsed.candidate?.name,
      id: parsed.candidate?.registration?.id,
      group: parsed.candidate?.registration?.group.name,
    });
    if (verdict.action === 'postpone') await this.postpone(parsed.message, verdict.seconds);
    return verdict.action === 'acknowledge';
  }

  private async judge({ message, candidate, problem }: Parsed): Promise<Verdict> {
    if (!candidate) return { action: 'acknowledge', outcome: 'malformed', reason: problem };
    const machine = this.ports.machines.resourceIdOf(candidate.name);
    const byMessage = judgeMessage({ candidate, sentAt: message.sentAt, now: this.ports.now(), ours: machine !== undefined }, this.policy);
    if (byMessage) return byMessage;
    try {
      const proof = candidate.registration ? this.proofs.get(candidate.registration.group.key) ?? 'unproven' : 'unproven';
      return judgeMachine({ candidate, machine: this.states.get(machine!) ?? 'unknown', proof }, this.policy) ?? await this.judgeAndDelete(candidate);
    } catch (error) {
      return { action: 'return', outcome: 'unknown', reason: describeError(error) };
    }
  }

  private async judgeAndDelete(candidate: Candidate): Promise<Verdict> {
    const target = await this.targetOf(candidate);
    if ('action' in target) return target;
    // the pause comes before the last read, so that nothing stands between that read and the DELETE
    if (!this.policy.dryRun) await this.ports.pacer.wait(this.ports.deadline);
    const verdict = await this.lastRead(candidate, target);
    if (verdict.action !== 'delete') return verdict;
    this.ports.deadline.check('the DELETE');
    this.ports.pacer.writes();
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
  private async targetOf({ name, registration }: Candidate): Promise<Target | Verdict> {
    if (registration) return { id: registration.id, group: registration.group };
    this.ports.deadline.check('looking for the nominated name');
    const found = (await this.ports.registrations.findByName(name)).find((one) => one.name === name);
    if (!found) return { action: 'acknowledge', outcome: 'alreadyGone', reason: 'no registration has this name' };
    this.configuredGroups ??= this.ports.registrations.listGroups();
    for (const group of await this.configuredGroups) {
      const member = found.groupKey === undefined ? await this.membership.has(group, found.id) : found.groupKey === group.key;
      if (member === 'unknown') return { action: 'return', outcome: 'unknown', reason: `group ${group.name} could not be read` };
      if (member) return { id: found.id, group };
    }
    return { action: 'acknowledge', outcome: 'outOfScope', reason: 'the registration is in no configured group' };
  }

  /** A younger message takes the place of one that cannot be judged. */
  private unlessSuperseded(parsed: Parsed, verdict: Verdict): Verdict {
    if (verdict.action !== 'return' || !parsed.candidate) return verdict;
    const older = parsed.candidate;
    const later = this.parsed.slice(this.parsed.indexOf(parsed) + 1);
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
