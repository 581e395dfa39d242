import { parseExecutionInput } from './execution-input';
import type { Finding, OurRunner, Received } from './finding';
import { findOut } from './finding';
import { isRunnerName } from './identifiers';
import type { Executions, Jobs, Ledger, PickUp, RecordedJob } from './ports';
import type { Questions } from './questions';
import { askOnce } from './questions';
import type { Member, Verdict } from './verdict';
import { diedUnused, isOwnJob, thiefOf, verdictOn } from './verdict';

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
  const recordings = await Promise.all(pickUps.map((pickUp) => attempt(async () => pickUp && ports.ledger.recordPickUp(pickUp))));

  return Promise.all(batch.map(async ({ waited }, index): Promise<Judgement> => {
    const finding = findings[index]!;
    if ('error' in finding) return { kind: 'undecided', error: finding.error };
    const recording = recordings[index]!;
    if ('error' in recording) return { kind: 'undecided', error: recording.error };
    const judged = await attempt(() => judge(finding.value, waited, heard, questions, ports));
    if ('error' in judged) return { kind: 'undecided', error: judged.error };
    return { kind: 'judged', verdict: judged.value, runner: 'runner' in finding.value ? finding.value.runner : undefined };
  }));
}

async function judge(finding: Finding, waited: number, heard: ReadonlySet<string>, questions: Questions, ports: JudgePorts): Promise<Verdict> {
  if (finding.kind === 'settled') return finding.verdict;
  if (finding.kind === 'ranElsewhere') return { kind: 'stolen', reason: 'outsider', thief: finding.thief };

  const { runner: { own }, job } = finding;
  const facts = { own, ran: job, members: undefined, recordsLate: ports.recordsLate, waited };
  if (isOwnJob(own, job)) return verdictOn(facts);
  const recorded = await questions.job(job.id);
  if (!recorded) return verdictOn(facts);
  const members = await membersOf(recorded, heard, questions);
  if (job.startedAt !== undefined || !members.every(diedUnused)) return verdictOn({ ...facts, members });
  // whether they died in time decides, so it is worth a request
  const startedAt = (await ports.jobs.find(job.repository, job.id))?.startedAt;
  return verdictOn({ ...facts, members, ran: { ...job, startedAt } });
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
