import { parseExecutionInput } from './execution-input';
import type { Finding, OurRunner, Received } from './finding';
import { findOut } from './finding';
import { isRunnerName } from './identifiers';
import type { Executions, Jobs, Ledger, PickUp, RecordedJob } from './ports';
import type { Questions } from './questions';
import { askOnce } from './questions';
import type { Member, Verdict } from './verdict';
import { diedUnused, hasWorkedBefore, isOwnJob, ranElsewhere, thiefOf, verdictOn } from './verdict';

export interface JudgePorts {
  readonly executions: Pick<Executions, 'find'>;
  readonly jobs: Jobs;
  readonly ledger: Pick<Ledger, 'job' | 'pickUp' | 'recordPickUp'>;
  /** jobs are recorded best effort, and possibly later than they are reported */
  readonly recordsLate: boolean;
}

/** `undecided`: something could not be asked, which is never an answer; the report has to come back. */
export type Judgement =
  | { readonly kind: 'judged'; readonly verdict: Verdict; readonly runner: OurRunner | undefined }
  | { readonly kind: 'undecided'; readonly error: unknown };

/**
 * Judges a batch of reports, one judgement each, in their order. Every pick-up is known, in memory and in the ledger, before
 * the first verdict: two runners that swapped their jobs are often reported together.
 */
export async function judgeBatch(batch: readonly Received[], ports: JudgePorts): Promise<readonly Judgement[]> {
  const questions = askOnce(ports.executions, ports.ledger);
  const findings = await Promise.all(batch.map((received) => attempt(() => findOut(received, questions, ports.jobs))));

  const pickUps = findings.map((finding) => ('error' in finding ? undefined : pickUpOf(finding.value)));
  const heard = new Set(pickUps.flatMap((pickUp) => pickUp?.runnerName ?? []));
  const record = (isShown: boolean) => Promise.all(pickUps.map((pickUp) =>
    pickUp && isShown === (pickUp.jobId !== undefined) ? attempt(() => ports.ledger.recordPickUp(pickUp)) : undefined));
  // the first one stays, so those that GitHub shows go before those that nobody can check
  const shown = await record(true);
  const claimed = await record(false);

  return Promise.all(batch.map(async (received, index): Promise<Judgement> => {
    const finding = findings[index]!;
    if ('error' in finding) return { kind: 'undecided', error: finding.error };
    const recording = shown[index] ?? claimed[index] ?? { value: true };
    if ('error' in recording) return { kind: 'undecided', error: recording.error };
    const isRepeated = !recording.value;
    const judged = await attempt(() => judge({ finding: finding.value, received, isRepeated, heard }, questions, ports));
    if ('error' in judged) return { kind: 'undecided', error: judged.error };
    return { kind: 'judged', verdict: judged.value, runner: 'runner' in finding.value ? finding.value.runner : undefined };
  }));
}

interface Found {
  readonly finding: Finding;
  readonly received: Received;
  /** the runner is known to have picked up a job, this one or another */
  readonly isRepeated: boolean;
  /** the runners whose pick-ups are in this batch */
  readonly heard: ReadonlySet<string>;
}

async function judge({ finding, received: { waited, now }, isRepeated, heard }: Found, questions: Questions, ports: JudgePorts): Promise<Verdict> {
  if (finding.kind === 'settled') return finding.verdict;
  const { runner: { execution: { name }, own } } = finding;
  // not one of the questions: it may have been written since they were asked
  const known = isRepeated ? await ports.ledger.pickUp(name) : undefined;
  // neither a copy of a report nor a second theft of one runner may take a place under the hourly cap
  if (known?.isConcluded) return { kind: 'ignored', reason: 'concluded' };
  if (finding.kind === 'ranElsewhere') {
    const { thief } = finding;
    return ranElsewhere(thief.repository, known?.repository) ? { kind: 'ignored', reason: 'forged' } : { kind: 'stolen', reason: 'outsider', thief };
  }

  const { job } = finding;
  const facts = { own, ran: job, members: undefined, ownJobRanOn: undefined, recordsLate: ports.recordsLate, waited, now };
  if (isOwnJob(own, job)) return verdictOn(facts);
  if (hasWorkedBefore(job, known)) return { kind: 'fine', reason: 'workedBefore' };
  const recorded = await questions.job(job.id);
  if (!recorded) return verdictOn(facts);
  const members = await membersOf(recorded, heard, questions);
  if (!members.every(diedUnused)) return verdictOn({ ...facts, members });
  return verdictOn({ ...facts, members, ...await aboutDebt(finding, ports.jobs) });
}

/** Whether they died in time, and whether one of them was lost at work, is worth a request each. */
async function aboutDebt({ runner: { own }, job }: Extract<Finding, { kind: 'ran' }>, jobs: JudgePorts['jobs']) {
  const [startedAt, ownJob] = await Promise.all([
    job.startedAt ?? jobs.find(job.repository, job.id).then((found) => found?.startedAt),
    own.repository === undefined ? undefined : jobs.find(own.repository, own.id),
  ]);
  return { ran: { ...job, startedAt }, ownJobRanOn: ownJob?.runnerName };
}

async function membersOf(job: RecordedJob, heard: ReadonlySet<string>, questions: Questions): Promise<readonly Member[]> {
  const members = await Promise.all(job.runners.filter(isRunnerName).map(async (name): Promise<readonly Member[]> => {
    const execution = await questions.execution(name);
    if (!execution) return [{ name, life: 'future', endedAt: undefined, pickedUp: heard.has(name), labels: job.labels }];
    const own = parseExecutionInput(execution.input);
    // recorded, but then somebody else's execution had that name
    if (own?.id !== job.id) return [];
    const { life, endedAt } = execution;
    // only of one that failed it matters whether it had worked before
    const pickedUp = heard.has(name) || (life === 'failed' && await questions.pickUp(name) !== undefined);
    return [{ name, life, endedAt, pickedUp, labels: own.labels ?? job.labels }];
  }));
  return members.flat();
}

function pickUpOf(finding: Finding): PickUp | undefined {
  if (finding.kind === 'settled') return undefined;
  const runnerName = finding.runner.execution.name;
  const { jobId, repository, runId } = finding.kind === 'ran' ? thiefOf(finding.job) : finding.thief;
  return { runnerName, jobId, repository, runId };
}

/** Keeps one report's trouble its own. */
async function attempt<T>(call: () => Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await call() };
  } catch (error) {
    return { error };
  }
}
