import type { MachineState, Registration, RunnerGroup } from './ports';
import type { Violation } from './scope-proof';
import type { FirstLook, Policy } from './verdict';
import { isViolationAFault } from './verdict';
import { DISCOVERY_METRICS } from '../../src/contract/janitor-metrics';
import { DeadlineError, describeError, LimitError, NoCredentialError, PermissionError, QuotaReserveError } from '../shared/errors';

export interface EarlyEnd {
  readonly reason: 'deadline' | 'quotaReserve' | 'rateLimit' | 'credentials' | 'error';
  readonly message: string;
}

type Kept = Extract<FirstLook, { keep: string }>['keep'];

/** Names that are listed in full; a fleet of thousands must not fill a log line. */
const MAX_NAMES = 50;

/** What one first look did, counted. */
export class DiscoveryReport {
  pagesRead = 0;
  pagesFailed = 0;
  groupsSkipped = 0;
  /** configured, but GitHub lists no such group */
  missingGroups: readonly string[] = [];
  registrations = 0;
  queued = 0;
  /** of those, how many rest on absence in a group where no online runner of ours shows that we look in the right places */
  withoutWitness = 0;
  /** found, but behind the budget: another run starts with them */
  postponed = 0;
  /** found, but the scope proof does not carry them */
  withheld = 0;
  /** of groups that were not read to their end and showed no online runner of ours: where that stays so, nothing that rests on absence ever goes */
  withheldUnread = 0;
  sendsFailed = 0;
  endedEarly: EarlyEnd | undefined;
  /** groups that no credential may read, and what GitHub said to the first */
  readonly refusedGroups: string[] = [];
  private refusal = '';
  readonly keptBecause: Partial<Record<Kept, number>> = {};
  readonly stuck: Array<{ id: number; name: string; group: string }> = [];
  readonly violations: Violation[] = [];

  private lookupsAnswered = 0;
  private lookupsUnknown = 0;

  constructor(private readonly policy: Policy & { readonly candidatesPerRun: number }) {}

  get budgetLeft(): number {
    return this.policy.candidatesPerRun - this.queued;
  }

  get credentialsLost(): boolean {
    return this.endedEarly?.reason === 'credentials';
  }

  missing(groups: readonly string[]): void {
    this.missingGroups = groups;
    this.groupsSkipped += groups.length;
  }

  kept(reason: Kept, registration: Registration, group: RunnerGroup): void {
    this.keptBecause[reason] = (this.keptBecause[reason] ?? 0) + 1;
    if (reason === 'stuckBusy' && this.stuck.length < MAX_NAMES) this.stuck.push({ id: registration.id, name: registration.name, group: group.name });
  }

  lookedUp(states: readonly MachineState[]): void {
    const unknown = states.filter((state) => state === 'unknown').length;
    this.lookupsUnknown += unknown;
    this.lookupsAnswered += states.length - unknown;
  }

  refused({ name }: RunnerGroup, error: Error): void {
    if (this.refusedGroups.push(name) === 1) this.refusal = describeError(error);
  }

  violated(violation: Violation): void {
    this.violations.push(violation);
  }

  /** The first reason stays. */
  endEarly(end: EarlyEnd): void {
    this.endedEarly ??= end;
  }

  /** Why the invocation has to fail although everything that could be done is done. Empty: it has not. */
  get failures(): readonly string[] {
    const failures: string[] = [];
    const end = this.endedEarly;
    if (end?.reason === 'credentials' || end?.reason === 'error') failures.push(end.message);
    if (this.refusedGroups.length > 0) failures.push(`no credential may read the registrations of ${this.refusedGroups.slice(0, MAX_NAMES).join(', ')}: ${this.refusal}`);
    // nothing ever gets cleaned where all of one kind of call fails, and a warning for each is easily overlooked
    if (this.lookupsUnknown > 0 && this.lookupsAnswered === 0) failures.push(`none of ${this.lookupsUnknown} machines could be looked up in all configured places`);
    if (this.sendsFailed > 0 && this.queued === 0) failures.push(`none of ${this.sendsFailed} candidates could be queued`);
    // stopping at the reserve is what the reserve is for
    if (this.pagesRead === 0 && end?.reason !== 'quotaReserve' && this.refusedGroups.length === 0) failures.push(`no page of registrations was read${end ? `: ${end.message}` : ''}`);
    if (isViolationAFault(this.policy)) failures.push(...this.violations.map(describeViolation));
    return failures;
  }

  /** The numbers of the run, for one log line. */
  summary(): Record<string, unknown> {
    const { pagesRead, pagesFailed, groupsSkipped, missingGroups, refusedGroups, registrations } = this;
    const { queued, withoutWitness, postponed, withheld, withheldUnread, sendsFailed, keptBecause, endedEarly } = this;
    const reading = { pagesRead, pagesFailed, groupsSkipped, missingGroups, refusedGroups, registrations };
    return { ...reading, queued, withoutWitness, postponed, withheld, withheldUnread, sendsFailed, keptBecause, endedEarly };
  }

  metrics(): Record<string, number> {
    return {
      [DISCOVERY_METRICS.succeeded]: this.failures.length === 0 ? 1 : 0,
      [DISCOVERY_METRICS.candidates]: this.queued,
      [DISCOVERY_METRICS.scopeViolations]: this.violations.length,
      [DISCOVERY_METRICS.stuckBusy]: this.keptBecause.stuckBusy ?? 0,
      [DISCOVERY_METRICS.pagesFailed]: this.pagesFailed,
      [DISCOVERY_METRICS.groupsSkipped]: this.groupsSkipped,
      [DISCOVERY_METRICS.endedEarly]: this.endedEarly || this.refusedGroups.length > 0 || this.withheldUnread > 0 ? 1 : 0,
      [DISCOVERY_METRICS.sendsFailed]: this.sendsFailed,
      [DISCOVERY_METRICS.lookupsUnknown]: this.keptBecause.machineUnknown ?? 0,
    };
  }
}

export function describeViolation({ group, runner, machine }: Violation): string {
  return `scope suspect: runner ${runner.name} (id ${runner.id}) of group ${group.name} is online, but its machine ${machine} is in none of the ` +
    'configured places; a region or an account is missing, or the name prefix is shared (see acknowledgedForeignRunners and evidence)';
}

export function earlyEndOf(error: unknown): EarlyEnd {
  const message = describeError(error);
  if (error instanceof DeadlineError) return { reason: 'deadline', message };
  if (error instanceof QuotaReserveError) return { reason: 'quotaReserve', message };
  if (error instanceof LimitError) return { reason: 'rateLimit', message };
  if (error instanceof NoCredentialError || error instanceof PermissionError) return { reason: 'credentials', message };
  return { reason: 'error', message };
}
