import { excerpt, isId, isRepository, isRunnerName, isStrings, jsonObject } from './identifiers';
import type { ReportMessage } from '../../src/contract/report-message';
import { REPORT_VERSION } from '../../src/contract/report-message';
import { MalformedInputError } from '../shared/errors';

/**
 * One body of the report queue.
 *
 * @throws MalformedInputError naming the property and what is allowed; such a report can never be judged
 */
export function parseReport(body: string): ReportMessage {
  const value = jsonObject(body);
  if (!value) throw new MalformedInputError('a report must be a JSON object');
  const { version, source, runnerName, repository, runId, jobId, startedAt, labels } = value;
  if (version !== REPORT_VERSION) throw malformed('version', version, String(REPORT_VERSION));
  if (source !== 'log' && source !== 'signed') throw malformed('source', source, 'log or signed');
  if (!isRunnerName(runnerName)) throw malformed('runnerName', runnerName, '1 to 64 letters, digits, dots, dashes and underscores');
  if (repository !== undefined && !isRepository(repository)) throw malformed('repository', repository, 'owner/name');
  if (runId !== undefined && !isId(runId)) throw malformed('runId', runId, 'a positive integer');
  if (jobId !== undefined && !isId(jobId)) throw malformed('jobId', jobId, 'a positive integer');
  if (jobId !== undefined && source === 'log') throw malformed('jobId', jobId, 'absent in a report from a log');
  if (jobId !== undefined && repository === undefined) throw malformed('repository', repository, 'owner/name when there is a job id');
  if (jobId === undefined && runId === undefined) throw malformed('runId', runId, 'a positive integer when there is no job id');
  if (startedAt !== undefined && !isTime(startedAt)) throw malformed('startedAt', startedAt, 'an ISO 8601 time');
  if (labels !== undefined && !isStrings(labels)) throw malformed('labels', labels, 'an array of strings');
  return {
    version,
    source,
    runnerName,
    ...(repository !== undefined && { repository }),
    ...(runId !== undefined && { runId }),
    ...(jobId !== undefined && { jobId }),
    ...(startedAt !== undefined && { startedAt }),
    ...(labels !== undefined && { labels }),
  };
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
}

function malformed(property: string, value: unknown, allowed: string): MalformedInputError {
  return new MalformedInputError(`'${property}' of a report must be ${allowed}, got ${excerpt(value)}`);
}
