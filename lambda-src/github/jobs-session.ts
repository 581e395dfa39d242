import type { Call, Response } from './client';
import { organizationEndpoints, repositoryEndpoints } from './endpoints';
import type { NamedPlace } from './endpoints';
import type { InvocationDeadline } from './fetch';
import { isInstalled } from './installation';
import { parseJob, parseJobPage } from './job-shapes';
import { namedRunners } from './named-runners';
import { hasNextPage } from './pager';
import type { CredentialTrouble, OnRefusal, PoolSession } from './pool-session';
import { MAX_JOB_PAGES } from '../../src/contract/detector-limits';
import { PAGE_SIZE } from '../../src/contract/limits';
import type { Registration } from '../janitor/ports';
import type { Clock } from '../shared/deadline';
import { NoCredentialError, NotFoundError, PermissionError, TransientError } from '../shared/errors';
import type { Job, Jobs, MissingJob } from '../stolen/ports';

export interface JobsSessionOptions {
  readonly deadline: InvocationDeadline;
  readonly now: Clock;
  readonly fetch: typeof globalThis.fetch;
  readonly poolOf: (owner: string) => Promise<PoolSession>;
}

/** Another App may be installed on that repository, or have the right that this one lacks. */
const askNext: OnRefusal = ({ kind }) => kind === 'unprocessable' ? 'answer' : 'next';

/** GitHub during one invocation of the judge. */
export class JobsSession implements Jobs {
  private readonly pools = new Map<string, Promise<PoolSession>>();
  private readonly opened: PoolSession[] = [];

  constructor(private readonly options: JobsSessionOptions) {}

  /** Each credential that was of no or little use so far; where an App is not installed is no trouble here, but an answer. */
  get trouble(): readonly CredentialTrouble[] {
    return this.opened.flatMap((pool) => pool.trouble).filter(({ reason }) => reason !== 'notInstalled');
  }

  async findInRun(repository: string, runId: number, runnerName: string): Promise<Job | MissingJob> {
    const { owner, repo } = partsOf(repository);
    const path = `GET /repos/${repository}/actions/runs/${runId}/jobs`;
    try {
      const pool = await this.pool(owner);
      const found: Job[] = [];
      for (let page = 1; page <= MAX_JOB_PAGES; page += 1) {
        const { data, headers } = await request(pool, path, (octokit, auth) =>
          octokit.request('GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs', { owner, repo, run_id: runId, filter: 'all', per_page: PAGE_SIZE, page, ...auth }));
        const jobs = parseJobPage(path, data, repository);
        const ours = jobs.filter(({ job }) => job.runnerName === runnerName);
        found.push(...ours.map(({ job }) => job));
        // one of a later attempt may be a copy of what stands on another page
        if (ours.some(({ attempt }) => attempt === 1) || jobs.length === 0 || !hasNextPage(path, headers.link, pool.apiUrl)) break;
      }
      return latest(found) ?? 'notListed';
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof NoCredentialError) return this.missing(repository, error);
      throw error;
    }
  }

  async find(repository: string, jobId: number): Promise<Job | undefined> {
    const { owner, repo } = partsOf(repository);
    const path = `GET /repos/${repository}/actions/jobs/${jobId}`;
    try {
      const { data } = await request(await this.pool(owner), path, (octokit, auth) =>
        octokit.request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}', { owner, repo, job_id: jobId, ...auth }));
      return parseJob(path, data, repository);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  /** Where it is registered depends on the runner stack: with the organization, if there is one, or with the repository. */
  async isIdle(repository: string, runnerName: string): Promise<boolean> {
    const { owner, repo } = partsOf(repository);
    const pool = await this.pool(owner);
    const scopes = [organizationEndpoints(owner), repositoryEndpoints(owner, [{ key: repository, name: repo }])];
    const places = scopes.flatMap((scope) => scope.named(runnerName));
    const refusals: unknown[] = [];
    for (const place of places) {
      try {
        // a passing 404 must not look like that of a user, who has no organization: it would hide a runner that idles there
        const runner = await twiceIfNotFound(() => registered(pool, place, runnerName));
        if (runner) return runner.status === 'online' && !runner.busy;
        refusals.push(undefined);
      } catch (error) {
        // a user has no organization, and an App may be allowed to see only one of the two
        if (!(error instanceof PermissionError || error instanceof NotFoundError)) throw error;
        refusals.push(error);
      }
    }
    const [byOrganization, byRepository] = refusals;
    // runners of a repository cannot be robbed by another one: what is hidden in the organization decides
    if (byOrganization instanceof PermissionError) throw byOrganization;
    if (byOrganization && byRepository) throw byRepository;
    return false;
  }

  private pool(owner: string): Promise<PoolSession> {
    const key = owner.toLowerCase();
    const pool = this.pools.get(key) ?? this.options.poolOf(owner).then((opened) => {
      this.opened.push(opened);
      return opened;
    });
    this.pools.set(key, pool);
    return pool;
  }

  /** What it means that nobody shows us the run. */
  private async missing(repository: string, error: NotFoundError | NoCredentialError): Promise<MissingJob> {
    const pool = await this.pool(partsOf(repository).owner);
    // not those that are loaded by now, which may have been issued by another host
    const { apiUrl, credentials } = pool;
    const apps = credentials.filter((credential) => credential.kind === 'app');
    if (apps.length < credentials.length && error instanceof NotFoundError) return 'unverifiable';
    // an App that could not be loaded may be the one that is installed
    if (apps.length === 0 || apps.length < credentials.length || pool.trouble.some(({ reason }) => reason === 'load')) throw error;
    const { deadline, fetch, now } = this.options;
    if (!await isInstalled(repository, apps, { apiUrl, deadline, fetch }, now)) return 'notInstalled';
    if (error instanceof NotFoundError) return 'notListed';
    throw error;
  }
}

async function registered(pool: PoolSession, place: NamedPlace, runnerName: string): Promise<Registration | undefined> {
  const [found] = await namedRunners(place, runnerName, () => undefined, pool.apiUrl, ({ what, call }) => request(pool, what, call));
  return found;
}

async function twiceIfNotFound<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NotFoundError) return ask();
    throw error;
  }
}

async function request<T extends Response>(pool: PoolSession, what: string, call: Call<T>): Promise<T> {
  const answer = await pool.request(what, call, { onRefusal: askNext });
  if ('refusal' in answer) throw new TransientError(`${what}: ${answer.refusal.message}`, { cause: answer.refusal.cause });
  return answer.response;
}

/**
 * A runner that was registered again under its name can have had two jobs of one run. Of two that started at once, the
 * newer one is a copy: an attempt that repeats only what had failed can list the other jobs as its own.
 */
function latest(jobs: readonly Job[]): Job | undefined {
  return [...jobs].sort((one, other) => (other.startedAt ?? 0) - (one.startedAt ?? 0) || one.id - other.id)[0];
}

function partsOf(repository: string): { readonly owner: string; readonly repo: string } {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo };
}
