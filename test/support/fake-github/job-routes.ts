import type { Answer } from './answer';
import { notFound, ok } from './answer';
import type { Job } from './job';
import { cut, linkHeader, pageRequest } from './paging';
import type { Access, Call, Route } from './route';
import { placeOf } from './route';

const ACTIONS = '/repos/{owner}/{repo}/actions';
const READ_ACTIONS: Access = { permission: 'actions', level: 'read', publicToo: true };

/** Jobs of workflow runs. A run exists as soon as it has a job. */
export function jobRoutes(): readonly Route[] {
  return [
    { method: 'GET', template: `${ACTIONS}/jobs/{job_id}`, access: READ_ACTIONS, serve: getJob },
    { method: 'GET', template: `${ACTIONS}/runs/{run_id}/jobs`, access: READ_ACTIONS, serve: listJobs },
    { method: 'GET', template: `${ACTIONS}/runs/{run_id}/attempts/{attempt_number}/jobs`, access: READ_ACTIONS, serve: listJobsOfAttempt },
  ];
}

function getJob(call: Call): Answer {
  const job = jobsOf(call).get(Number(call.params.job_id));
  return job ? ok(job) : notFound();
}

function listJobs(call: Call): Answer {
  const jobs = jobsOfRun(call);
  const latest = Math.max(...jobs.map((job) => job.run_attempt));
  return jobPage(call, call.query.get('filter') === 'all' ? jobs : jobs.filter((job) => job.run_attempt === latest));
}

function listJobsOfAttempt(call: Call): Answer {
  return jobPage(call, jobsOfRun(call).filter((job) => job.run_attempt === Number(call.params.attempt_number)));
}

function jobPage(call: Call, jobs: readonly Job[]): Answer {
  if (jobs.length === 0) return notFound();
  const request = pageRequest(call.query);
  const { items, lastPage } = cut(jobs, request);
  return ok({ total_count: jobs.length, jobs: items }, linkHeader(call.self, request.page, lastPage));
}

function jobsOfRun(call: Call): readonly Job[] {
  return [...jobsOf(call).values()].filter((job) => job.run_id === Number(call.params.run_id));
}

function jobsOf(call: Call): ReadonlyMap<number, Job> {
  const { repository } = placeOf(call);
  if (!repository) throw new Error(`${call.self.pathname} speaks of no repository`);
  return repository.jobs;
}
