import { TransientError } from '../shared/errors';
import type { Job } from '../stolen/ports';

/** A job in the list of its run, and the attempt of the run it is listed for; 1 where the server does not tell. */
export interface ListedJob {
  readonly job: Job;
  readonly attempt: number;
}

/** One page of a run's jobs. */
export function parseJobPage(what: string, data: unknown, repository: string): readonly ListedJob[] {
  const { jobs } = record(what, data);
  if (!Array.isArray(jobs)) throw new TransientError(`${what}: wrong shape: jobs must be an array`);
  return jobs.map((entry) => {
    const { run_attempt: attempt } = record(what, entry);
    return { job: parseJob(what, entry, repository), attempt: isId(attempt) ? attempt : 1 };
  });
}

/** Without a runner GitHub documents null; in practice it sends 0 and empty names. */
export function parseJob(what: string, data: unknown, repository: string): Job {
  const { id, run_id: runId, runner_name: runnerName, started_at: startedAt, labels } = record(what, data);
  if (!isId(id)) throw new TransientError(`${what}: wrong shape: the id of a job must be a positive integer`);
  const started = typeof startedAt === 'string' ? Date.parse(startedAt) : NaN;
  return {
    id,
    repository,
    runId: isId(runId) ? runId : undefined,
    runnerName: typeof runnerName === 'string' && runnerName !== '' ? runnerName : undefined,
    startedAt: Number.isNaN(started) ? undefined : started,
    labels: Array.isArray(labels) && labels.every((label) => typeof label === 'string') ? labels : undefined,
  };
}

function record(what: string, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TransientError(`${what}: wrong shape: it must be an object`);
  return value as Record<string, unknown>;
}

/** Octokit turns integers above 2^53 into bigint. */
function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
