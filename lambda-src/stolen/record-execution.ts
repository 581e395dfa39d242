import { parseExecutionInput } from './execution-input';
import { isObject, isRunnerName } from './identifiers';
import type { Ledger, Log } from './ports';
import type { DetectorCounts } from '../../src/contract/detector-metrics';

export interface RecordPorts {
  readonly ledger: Pick<Ledger, 'recordRunner'>;
  readonly log: Log;
  readonly count: (counts: DetectorCounts) => void;
}

/**
 * Records the job of an execution from its status event:
 * https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html. Every status will do: an earlier event may be lost.
 *
 * @throws TransientError when the ledger cannot be written: EventBridge hands the event over again
 */
export async function recordExecution(event: unknown, { ledger, log, count }: RecordPorts): Promise<void> {
  const detail = isObject(event) && isObject(event.detail) ? event.detail : {};
  const { name, input } = detail;
  // an execution that no runner can be named after is none of ours
  if (!isRunnerName(name)) return;
  if (typeof input !== 'string') {
    // events drop inputs above 248 kB
    log.warn('a status event came without its input, so its job is not recorded', { execution: name });
    count({ inputsMissing: 1 });
    return;
  }
  const own = parseExecutionInput(input);
  if (!own) return;
  await ledger.recordRunner({ jobId: own.id, runnerName: name, labels: own.labels });
  log.info('a job was recorded from a status event', { execution: name, job: own.id });
}
