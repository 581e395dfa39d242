import type { Candidate } from './candidate';
import { asNomination, parseCandidate, supersedes } from './candidate';
import { ConfiguredGroups } from './configured-groups';
import { ConfirmationReport } from './confirmation-report';
import type { ReadingPorts } from './group-reading';
import type { Place } from './group-verdict';
import { judgePlaces, unlessGroupGone } from './group-verdict';
import { Membership } from './membership';
import type { CandidateQueue, DeleteAnswer, Machines, RunnerGroup } from './ports';
import type { SampleProof } from './sample-proof';
import { sampleProof } from './sample-proof';
import type { Policy, Verdict } from './verdict';
import { judgeMachine, judgeMessage, judgeRegistration } from './verdict';
import type { Clock } from '../shared/deadline';
import { describeError, MalformedInputError, ReadAgainError } from '../shared/errors';

export interface ConfirmationPorts extends ReadingPorts {
  readonly machines: Machines;
  readonly queue: CandidateQueue;
  readonly now: Clock;
}

/** Of a last read and its DELETE: one for the token, and one for each of two Apps that take their time to say that they may not delete. */
export const MAX_REPETITIONS = 3;

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
  const configured = new ConfiguredGroups(ports);
  const opened = received.map((message) => openMessage(ports, policy, message));
  const worthAsking = opened.flatMap(({ candidate, machine, verdict }) => (
    verdict || machine === undefined ? [] : [{ group: candidate?.registration?.group, machine }]
  ));
  const groups = new Map(worthAsking.flatMap(({ group }) => (group ? [[group.key, group] as const] : [])));
  const sample = await sampleProof({ ...ports, configured }, policy, [...groups.values()], worthAsking.map(({ machine }) => machine));
  return new ConfirmationBatch(ports, policy, opened, sample, configured);
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
  const machine = machines.resourceIdOf(candidate.name);
  const verdict = judgeMessage({ candidate, sentAt: message.sentAt, now: now(), ours: machine !== undefined }, policy);
  if (!candidate.registration || message.fromFirstLook) return { message, candidate, machine, verdict };
  // by the dozen this would mean that AWS no longer names senders as it did
  log.warn('a candidate that no first look of ours has sent counts as a nomination', { messageId: message.messageId, runner: candidate.name });
  return { message, candidate: asNomination(candidate), machine, verdict };
}

function parse({ body }: Received): Candidate | { readonly problem: string } {
  try {
    return parseCandidate(body);
  } catch (error) {
    if (!(error instanceof MalformedInputError)) throw error;
    return { problem: error.message };
  }
}

export class ConfirmationBatch {
  readonly report = new ConfirmationReport();
  private readonly membership: Membership;

  constructor(
    private readonly ports: ConfirmationPorts,
    private readonly policy: Policy,
    private readonly opened: readonly Opened[],
    private readonly sample: SampleProof,
    private readonly configured: ConfiguredGroups,
  ) {
    this.membership = new Membership(ports, opened.flatMap((one) => (one.candidate && !this.judgeUnread(one) ? [one.candidate] : [])));
  }

  /**
   * Judges one message and carries the verdict out. Returns whether the message is done; false: it goes back to the queue, as one does
   * that is not in the batch. Never throws.
   */
  async settle(messageId: string): Promise<boolean> {
    const opened = this.opened.find(({ message }) => message.messageId === messageId);
    if (!opened) return false;
    const verdict = this.unlessSuperseded(opened, unlessGroupGone(await this.judge(opened), this.isGroupGone(opened)));
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

  /** By all that is known before the registration itself is read. Undefined: it is worth reading. */
  private judgeUnread({ candidate, machine, verdict }: Opened): Verdict | undefined {
    if (verdict) return verdict;
    if (!candidate || machine === undefined) return { action: 'return', outcome: 'unknown', reason: 'nobody has looked for a machine' };
    const { states, proofs } = this.sample;
    const proof = candidate.registration ? proofs.get(candidate.registration.group.key) ?? 'unproven' : 'unproven';
    return judgeMachine({ candidate, machine: states.get(machine) ?? 'unknown', proof }, this.policy);
  }

  private async judge(opened: Opened): Promise<Verdict> {
    try {
      return this.judgeUnread(opened) ?? await this.judgeAndDelete(opened.candidate!);
    } catch (error) {
      return { action: 'return', outcome: 'unknown', reason: describeError(error) };
    }
  }

  private async judgeAndDelete(candidate: Candidate): Promise<Verdict> {
    const target = await this.targetOf(candidate);
    if ('action' in target) return target;
    for (let repetition = 0; ; repetition += 1) {
      try {
        return await this.readAndDelete(candidate, target);
      } catch (error) {
        if (!(error instanceof ReadAgainError) || repetition === MAX_REPETITIONS) throw error;
        this.ports.log.info('the registration is read again before its DELETE is repeated', { runner: candidate.name, id: target.id, reason: error.message });
      }
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
  private async targetOf({ name, registration }: Candidate): Promise<Target | Verdict> {
    if (registration) return registration;
    this.ports.deadline.check('looking for the nominated name');
    const found = (await this.ports.registrations.findByName(name)).find((one) => one.name === name);
    if (!found) return { action: 'acknowledge', outcome: 'alreadyGone', reason: 'no registration has this name' };
    const groups = await this.configured.list();
    if (!groups) return { action: 'return', outcome: 'unknown', reason: 'the groups could not be listed' };
    const places: Place[] = [];
    for (const group of groups) {
      const member = found.groupKey === undefined ? await this.membership.has(group, found.id) : found.groupKey === group.key;
      places.push({ group, member });
      if (member === true) break;
    }
    const place = judgePlaces(places);
    return 'action' in place ? place : { id: found.id, group: place };
  }

  private isGroupGone({ candidate }: Opened): boolean {
    return candidate?.registration !== undefined && this.sample.goneGroups.has(candidate.registration.group.key);
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
