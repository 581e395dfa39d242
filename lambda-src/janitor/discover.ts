import { DiscoveryReport, earlyEndOf } from './discovery-report';
import type { ReadingPorts } from './group-reading';
import { GroupReading } from './group-reading';
import type { Turn } from './page-order';
import { rotated, turnOf } from './page-order';
import type { CandidateQueue, Machines, MachineState, Registration, RunnerGroup } from './ports';
import type { ReadingDeadline } from './reading-deadline';
import { absenceMayBeTrusted, ScopeProof } from './scope-proof';
import type { Policy } from './verdict';
import { firstLook } from './verdict';
import { WaitingCandidates } from './waiting-candidates';
import { MESSAGE_VERSION } from '../../src/contract/candidate-message';
import type { CandidateMessage, Evidence } from '../../src/contract/candidate-message';
import type { Clock } from '../shared/deadline';
import { describeError, NotFoundError, PermissionError } from '../shared/errors';
import { retrying } from '../shared/retry';

export interface DiscoveryPorts extends ReadingPorts {
  /** also that of the registrations and of the machines; only the queue has a later one */
  readonly deadline: ReadingDeadline;
  readonly machines: Machines;
  readonly queue: CandidateQueue;
  readonly now: Clock;
}

export interface DiscoveryPolicy extends Policy {
  readonly candidatesPerRun: number;
  /** milliseconds */
  readonly interval: number;
}

/** Kept back from reading pages, so that suspects of the scope proof can still be looked at once more; one that is not withholds. */
const TIME_TO_PROVE = 5000;

/** What one page gives to queue. */
interface Found {
  readonly terminated: readonly CandidateMessage[];
  readonly absent: readonly CandidateMessage[];
}

/** The first look: reads every group from GitHub and queues what seems to be a ghost. Never deletes, never throws. */
export async function discover(ports: DiscoveryPorts, policy: DiscoveryPolicy): Promise<DiscoveryReport> {
  const report = new DiscoveryReport(policy);
  try {
    const groups = await retrying(ports, 'the list of groups', () => ports.registrations.listGroups());
    report.missing(ports.registrations.missingGroups);
    const turn = turnOf(ports.now(), policy.interval, Math.max(1, groups.length), policy.candidatesPerRun);
    for (const group of rotated(groups, turn.group)) {
      if (report.endedEarly || report.budgetLeft === 0) break;
      await new GroupScan(ports, policy, report, group, turn).run();
    }
  } catch (error) {
    report.endEarly(earlyEndOf(error));
  }
  return report;
}

/** One group: judged page by page; what rests on absence alone waits for the proof. */
class GroupScan {
  private readonly proof: ScopeProof;
  private readonly reading: GroupReading;
  private readonly waiting = new WaitingCandidates();
  private refused = false;
  /** on page 1, as long as it is not its turn: its online runners count at once, its candidates queue behind those of the pages before it */
  private heldBack: Found = { terminated: [], absent: [] };
  /** the page whose candidates are being placed is the one whose turn it is */
  private comesFirst = true;

  constructor(
    private readonly ports: DiscoveryPorts,
    private readonly policy: DiscoveryPolicy,
    private readonly report: DiscoveryReport,
    private readonly group: RunnerGroup,
    private readonly turn: Turn,
  ) {
    this.proof = new ScopeProof(group, policy.acknowledgedForeignRunners);
    this.reading = new GroupReading(ports, group, turn);
  }

  async run(): Promise<void> {
    try {
      for await (const registrations of this.reading.read()) {
        this.report.pagesRead += 1;
        if (this.reading.stage === 'wrapped') await this.placeHeldBack();
        const found = await this.judgePage(registrations);
        if (this.reading.stage === 'ahead') this.heldBack = found;
        else await this.place(found);
        if (!this.ports.deadline.isOpen(TIME_TO_PROVE)) {
          this.report.endEarly({ reason: 'deadline', message: 'time is up' });
          break;
        }
      }
    } catch (error) {
      this.readingFailed(error);
    }
    await this.placeHeldBack();
    this.report.pagesFailed += this.reading.failedPages;
    this.report.registrations += this.reading.registrationsSeen;
    await this.queueAbsent();
  }

  private async judgePage(registrations: readonly Registration[]): Promise<Found> {
    const machineOf = new Map<number, string>();
    for (const { id, name } of registrations) {
      const machine = this.ports.machines.resourceIdOf(name);
      if (machine !== undefined) machineOf.set(id, machine);
    }
    this.ports.deadline.check('looking up machines');
    const states = machineOf.size > 0 ? await this.ports.machines.lookup([...machineOf.values()]) : new Map<string, never>();
    this.report.lookedUp([...machineOf.values()].map((machine) => states.get(machine) ?? 'unknown'));

    const terminated: CandidateMessage[] = [];
    const absent: CandidateMessage[] = [];
    for (const registration of rotated(registrations, this.turn.entry(this.reading.pageCount, registrations.length))) {
      const machine = machineOf.get(registration.id);
      const state = machine === undefined ? undefined : states.get(machine) ?? 'unknown';
      if (machine !== undefined && state !== undefined) this.proof.observe(registration, machine, state);
      const look = firstLook(registration, state, this.policy);
      if ('keep' in look) this.report.kept(look.keep, registration, this.group);
      else (look.candidate === 'terminated' ? terminated : absent).push(this.candidate(registration, look.candidate));
    }
    return { terminated, absent };
  }

  private async place({ terminated, absent }: Found): Promise<void> {
    for (const candidate of absent) {
      const isPreferred = this.comesFirst || this.turn.prefers(candidate.runner.id);
      if (!this.waiting.add(candidate, isPreferred, this.report.budgetLeft)) this.report.postponed += 1;
    }
    this.comesFirst = false;
    await this.queue(terminated);
  }

  private async placeHeldBack(): Promise<void> {
    const found = this.heldBack;
    this.heldBack = { terminated: [], absent: [] };
    await this.place(found);
  }

  /** Absence counts only when the proof holds for everything that was read. */
  private async queueAbsent(): Promise<void> {
    const waiting = this.waiting.all;
    const mayGoOn = () => this.ports.deadline.isOpen() && !this.report.credentialsLost && !this.refused;
    const machineOf = ({ runner }: CandidateMessage) => this.ports.machines.resourceIdOf(runner.name)!;
    const states = new Map<string, MachineState>(waiting.map((candidate) => [machineOf(candidate), 'absent']));
    const proof = await this.proof.settle(this.ports, mayGoOn, states);
    if (this.proof.violation) this.report.violated(this.proof.violation);
    if (absenceMayBeTrusted(proof, this.reading.readToTheEnd, this.proof.witnesses)) {
      await this.queueOnTrust(waiting.filter((candidate) => ['absent', 'terminated'].includes(states.get(machineOf(candidate))!)));
    } else if (waiting.length > 0) {
      this.report.withheld += waiting.length;
      if (proof === 'holds') this.report.withheldUnread += waiting.length;
      const why = proof === 'holds'
        ? 'the group was not read to its end, and no online runner of ours shows that we look in the right places'
        : 'nothing proves that their machines are looked for in the right places';
      this.ports.log.warn(`candidates withheld: ${why}`, {
        group: this.group.name, candidates: waiting.length, proof, readToTheEnd: this.reading.readToTheEnd, witnesses: this.proof.witnesses,
      });
    }
  }

  /** A fleet at zero machines has no witness, and neither has a configuration that looks in the wrong places: a person has to tell them apart. */
  private async queueOnTrust(found: readonly CandidateMessage[]): Promise<void> {
    const before = this.report.queued;
    await this.queue(found);
    const queued = this.report.queued - before;
    if (this.proof.witnesses > 0 || queued === 0) return;
    this.report.withoutWitness += queued;
    this.ports.log.info('nothing shows that we look in the right places: no online runner of ours is in this group', {
      group: this.group.name, candidates: queued,
    });
  }

  private async queue(found: readonly CandidateMessage[]): Promise<void> {
    const candidates = found.slice(0, this.report.budgetLeft);
    this.report.postponed += found.length - candidates.length;
    if (candidates.length === 0) return;
    const unsent = new Set(await this.ports.queue.send(candidates));
    for (const { runner, evidence } of candidates.filter((candidate) => !unsent.has(candidate))) {
      this.report.queued += 1;
      this.ports.log.info('candidate queued', { id: runner.id, runner: runner.name, group: this.group.name, reason: `offline, not busy, machine ${evidence}` });
    }
    this.report.sendsFailed += unsent.size;
  }

  private candidate({ id, name }: Registration, evidence: Evidence): CandidateMessage {
    return {
      version: MESSAGE_VERSION,
      kind: 'candidate',
      scope: this.policy.scope,
      runner: { id, name },
      group: { key: this.group.key, name: this.group.name, pages: this.reading.pageCount },
      observedAt: new Date(this.ports.now()).toISOString(),
      evidence,
      mode: this.policy.dryRun ? 'dryRun' : 'armed',
    };
  }

  private readingFailed(error: unknown): void {
    if (error instanceof NotFoundError) {
      this.report.groupsSkipped += 1;
      this.ports.log.warn('group skipped: it is listed but answers 404', { group: this.group.name });
      return;
    }
    if (error instanceof PermissionError) {
      // rights differ from repository to repository; where no App is left at all, the next group costs no request
      this.refused = true;
      this.report.refused(this.group, error);
    } else {
      this.report.endEarly(earlyEndOf(error));
    }
    this.ports.log.warn('reading of the group ended early', { group: this.group.name, error: describeError(error) });
  }
}
