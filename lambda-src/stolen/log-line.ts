import { isId, isRepository, isRunnerName } from './identifiers';
import { MAX_LOG_LINE_LENGTH } from '../../src/contract/detector-limits';
import type { ReportMessage } from '../../src/contract/report-message';
import { REPORT_VERSION } from '../../src/contract/report-message';

/**
 * The marker that cdk-github-runners prints when a job starts. Anchored at both ends: a shell trace (`+ echo CDKGHR ...`) prints
 * the same text a second time, with variables that are not expanded yet.
 */
const MARKER = /^CDKGHR JOB RUNNER=(\S+)(?: REPO=(\S+))? WORKFLOW_ID=(\d+)$/;

/** What one line of a runner's log reports; undefined for any other line. */
export function parseLogLine(line: string): ReportMessage | undefined {
  if (line.length > MAX_LOG_LINE_LENGTH) return undefined;
  const [, runnerName, repository, run] = MARKER.exec(line.trimEnd()) ?? [];
  const runId = Number(run);
  if (!isRunnerName(runnerName) || !isId(runId)) return undefined;
  if (repository === undefined) return { version: REPORT_VERSION, source: 'log', runnerName, runId };
  return isRepository(repository) ? { version: REPORT_VERSION, source: 'log', runnerName, repository, runId } : undefined;
}
