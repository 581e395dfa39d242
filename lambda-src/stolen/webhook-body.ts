import { isId, isObject, isRepository, isRunnerName, isStrings, jsonObject } from './identifiers';
import type { ReportMessage } from '../../src/contract/report-message';
import { REPORT_VERSION } from '../../src/contract/report-message';
import { MalformedInputError } from '../shared/errors';

/**
 * What a `workflow_job` webhook reports; undefined for every action but `in_progress`, and for jobs that no runner of ours can
 * have: GitHub's own runners have blanks in their names, and a name can be missing, null or empty.
 *
 * @throws MalformedInputError when it is no `workflow_job` webhook
 */
export function parseWebhookBody(body: string): ReportMessage | undefined {
  const payload = jsonObject(body);
  const job = payload?.workflow_job;
  if (!payload || !isObject(job)) throw new MalformedInputError("the body must be a JSON object with 'workflow_job'");
  if (payload.action !== 'in_progress' || !isRunnerName(job.runner_name)) return undefined;

  const repository = isObject(payload.repository) ? payload.repository.full_name : undefined;
  if (!isRepository(repository)) throw new MalformedInputError("'repository.full_name' must be owner/name");
  if (!isId(job.id)) throw new MalformedInputError("'workflow_job.id' must be a positive integer");
  return {
    version: REPORT_VERSION,
    source: 'signed',
    runnerName: job.runner_name,
    repository,
    jobId: job.id,
    ...(isId(job.run_id) && { runId: job.run_id }),
    ...(typeof job.started_at === 'string' && !Number.isNaN(Date.parse(job.started_at)) && { startedAt: new Date(job.started_at).toISOString() }),
    ...(isStrings(job.labels) && { labels: job.labels }),
  };
}
