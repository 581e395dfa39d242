import type { OwnJob } from './execution-input';
import { parseExecutionInput } from './execution-input';
import type { Execution, Job, Jobs } from './ports';
import type { Questions } from './questions';
import type { Defence, Thief, Verdict } from './verdict';
import { isForged, isOutdated, notListed } from './verdict';
import type { ReportMessage } from '../../src/contract/report-message';

/** A runner that was started for a job. */
export interface OurRunner {
  readonly execution: Execution;
  readonly own: OwnJob;
}

/** What GitHub and Step Functions say a runner did. */
export type Finding =
  /** nothing that could have been stolen, or nothing to see yet */
  | { readonly kind: 'settled'; readonly verdict: Verdict }
  | { readonly kind: 'ran'; readonly runner: OurRunner; readonly job: Job }
  /** in a repository where our App is not installed, so in nobody's that we start runners for */
  | { readonly kind: 'ranElsewhere'; readonly runner: OurRunner; readonly thief: Thief };

export interface Received {
  readonly report: ReportMessage;
  /** seconds since it was first received */
  readonly waited: number;
  /** milliseconds since the epoch */
  readonly now: number;
}

/** Finds out what the runner of a report really ran. The report itself proves nothing. */
export async function findOut({ report, waited, now }: Received, questions: Questions, jobs: Jobs): Promise<Finding> {
  const execution = await questions.execution(report.runnerName);
  if (!execution) return ignored('notOurs');
  const own = parseExecutionInput(execution.input);
  if (!own) return ignored('startedForNobody');
  if (isOutdated(execution.endedAt, now)) return ignored('outdated');
  const runner = { execution, own };
  const ran = (job: Job): Finding => isOutdated(job.startedAt, now) ? ignored('outdated') : { kind: 'ran', runner, job };

  if (report.jobId !== undefined) return ran(jobOf(report, report.jobId));

  const repository = report.repository ?? own.repository;
  if (repository === undefined || report.runId === undefined) return ignored('unverifiable');
  const answer = await jobs.findInRun(repository, report.runId, report.runnerName);
  if (answer === 'notListed') return { kind: 'settled', verdict: notListed(waited) };
  if (answer === 'unverifiable') return ignored('unverifiable');
  if (answer !== 'notInstalled') return ran(answer);

  // an App that is not even installed where the runner belongs shows nothing about anybody
  if (isSameRepository(repository, own.repository)) return ignored('unverifiable');
  const defence = await defenceOf(runner, questions, jobs);
  if (!defence) return ignored('unverifiable');
  if (isForged(report.runnerName, repository, defence)) return ignored('forged');
  return { kind: 'ranElsewhere', runner, thief: { repository, runId: report.runId, jobId: undefined, labels: undefined } };
}

/** What speaks for the runner; undefined when its own job cannot be seen, so that nothing could. */
async function defenceOf({ execution: { name }, own }: OurRunner, questions: Questions, jobs: Jobs): Promise<Defence | undefined> {
  if (own.repository === undefined) return undefined;
  const [pickUp, ownJob, isIdle] = await Promise.all([questions.pickUp(name), jobs.find(own.repository, own.id), jobs.isIdle(own.repository, name)]);
  return ownJob && { knownPickUp: pickUp?.repository, ownJobRanOn: ownJob.runnerName, isIdle };
}

function jobOf({ repository, runId, runnerName, startedAt, labels }: ReportMessage, id: number): Job {
  return { id, repository: repository!, runId, runnerName, startedAt: startedAt === undefined ? undefined : Date.parse(startedAt), labels };
}

function isSameRepository(one: string, other: string | undefined): boolean {
  return one.toLowerCase() === other?.toLowerCase();
}

function ignored(reason: Extract<Verdict, { kind: 'ignored' }>['reason']): Finding {
  return { kind: 'settled', verdict: { kind: 'ignored', reason } };
}
