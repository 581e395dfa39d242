/** A job of a workflow run exactly as GitHub sends it. */
export interface Job {
  readonly id: number;
  readonly run_id: number;
  readonly run_url: string;
  readonly run_attempt: number;
  readonly node_id: string;
  readonly head_sha: string;
  readonly url: string;
  readonly html_url: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly created_at: string;
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly name: string;
  readonly steps: readonly unknown[];
  readonly check_run_url: string;
  readonly labels: readonly string[];
  /** null is documented for a job without a runner; GitHub really sends 0 and empty names */
  readonly runner_id: number | null;
  readonly runner_name: string | null;
  readonly runner_group_id: number | null;
  readonly runner_group_name: string | null;
  readonly workflow_name: string | null;
  readonly head_branch: string | null;
}

export type JobOptions = Partial<Job> & Pick<Job, 'id' | 'run_id'>;

export function newJob(fullName: string, options: JobOptions): Job {
  const status = options.status ?? 'queued';
  const createdAt = options.created_at ?? options.started_at ?? '2026-01-01T00:00:00Z';
  const api = `https://api.github.com/repos/${fullName}`;
  return {
    run_url: `${api}/actions/runs/${options.run_id}`,
    run_attempt: 1,
    node_id: `CR_${options.id}`,
    head_sha: 'f83a356604ae3c5d03e1b46ef4d1ca77d64a90b0',
    url: `${api}/actions/jobs/${options.id}`,
    html_url: `https://github.com/${fullName}/actions/runs/${options.run_id}/job/${options.id}`,
    status,
    conclusion: status === 'completed' ? 'success' : null,
    created_at: createdAt,
    started_at: createdAt,
    completed_at: status === 'completed' ? createdAt : null,
    name: `job ${options.id}`,
    steps: [],
    check_run_url: `${api}/check-runs/${options.id}`,
    labels: ['self-hosted'],
    runner_id: null,
    runner_name: null,
    runner_group_id: null,
    runner_group_name: null,
    workflow_name: 'Build',
    head_branch: 'main',
    ...options,
  };
}
