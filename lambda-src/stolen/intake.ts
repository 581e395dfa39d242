import { parseLogDelivery } from './log-delivery';
import type { Log, ReportQueue } from './ports';
import { MAX_REPORTS_PER_DELIVERY } from '../../src/contract/detector-limits';
import type { DetectorCounts } from '../../src/contract/detector-metrics';
import { describeError, MalformedInputError, TransientError } from '../shared/errors';

export interface IntakePorts {
  readonly queue: Pick<ReportQueue, 'send'>;
  readonly log: Log;
  readonly count: (counts: DetectorCounts) => void;
}

/**
 * Puts what a log delivery reports on the queue.
 *
 * @throws TransientError when a report did not get there: Lambda hands the delivery over again, and the queue drops the copies
 */
export async function takeIn(event: unknown, { queue, log, count }: IntakePorts): Promise<void> {
  let reports;
  try {
    reports = parseLogDelivery(event);
  } catch (error) {
    if (!(error instanceof MalformedInputError)) throw error;
    // the same bytes would come back with the same fault
    log.error('a log delivery cannot be read', { error: describeError(error) });
    count({ malformed: 1 });
    return;
  }
  const taken = reports.slice(0, MAX_REPORTS_PER_DELIVERY);
  if (taken.length < reports.length) {
    log.error('a log delivery names more runners than can be, and only the first ones are reported', { named: reports.length, taken: taken.length });
    count({ malformed: reports.length - taken.length });
  }
  if (taken.length === 0) return;
  const unsent = await queue.send(taken);
  log.info('runners reported jobs in their logs', { reports: taken.length, unsent: unsent.length });
  if (unsent.length === 0) return;
  count({ sendsFailed: unsent.length });
  throw new TransientError(`${unsent.length} of ${taken.length} reports could not be queued`);
}
