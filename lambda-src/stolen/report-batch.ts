import type { Conclusion, ConcludePorts } from './conclude';
import { conclude } from './conclude';
import type { Received } from './finding';
import type { JudgePorts, Judgement } from './judge';
import { judgeBatch } from './judge';
import type { ReportQueue } from './ports';
import { parseReport } from './report';
import { REPORT_QUEUE } from '../../src/contract/detector-limits';
import type { DetectorCounts } from '../../src/contract/detector-metrics';
import type { ReportMessage } from '../../src/contract/report-message';
import type { Clock } from '../shared/deadline';
import { describeError, MalformedInputError } from '../shared/errors';

/** One record of the report queue. Times are in milliseconds since the epoch. */
export interface ReportRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly sentAt: number;
  readonly firstReceivedAt: number;
}

export interface ReportBatchPorts extends Omit<JudgePorts, 'ledger'>, Omit<ConcludePorts, 'ledger'> {
  readonly executions: ConcludePorts['executions'];
  readonly ledger: JudgePorts['ledger'] & ConcludePorts['ledger'];
  readonly queue: Pick<ReportQueue, 'postpone'>;
  readonly now: Clock;
}

interface Open {
  readonly record: ReportRecord;
  readonly report: ReportMessage;
  readonly judgement: Judgement;
}

/** Judges a whole batch at once, because reports explain each other. What follows from it is done record by record, with `settle`. */
export async function openReports(records: readonly ReportRecord[], ports: ReportBatchPorts): Promise<ReportBatch> {
  const readable: { readonly record: ReportRecord; readonly received: Received }[] = [];
  const malformed = new Set<string>();
  const now = ports.now();
  for (const record of records) {
    const report = readReport(record, ports);
    if (report) readable.push({ record, received: { report, waited: Math.max(0, now - record.firstReceivedAt) / 1000, now } });
    else malformed.add(record.messageId);
  }
  const judgements = await judgeBatch(readable.map(({ received }) => received), ports);
  const open = readable.map(({ record, received: { report } }, index) => ({ record, report, judgement: judgements[index]! }));
  return new ReportBatch(open, malformed, ports);
}

function readReport({ messageId, body }: ReportRecord, { log }: ReportBatchPorts): ReportMessage | undefined {
  try {
    return parseReport(body);
  } catch (error) {
    if (!(error instanceof MalformedInputError)) throw error;
    log.error('a report cannot be read and is dropped', { messageId, error: describeError(error) });
    return undefined;
  }
}

export class ReportBatch {
  /** what happened so far */
  readonly counts: DetectorCounts = {};
  private readonly open: ReadonlyMap<string, Open>;

  constructor(open: readonly Open[], private readonly malformed: ReadonlySet<string>, private readonly ports: ReportBatchPorts) {
    this.open = new Map(open.map((entry) => [entry.record.messageId, entry]));
  }

  /** True: the record is done with. False: it has to come back. Never throws. */
  async settle(messageId: string): Promise<boolean> {
    if (this.malformed.has(messageId)) {
      this.count({ malformed: 1 });
      return true;
    }
    const entry = this.open.get(messageId);
    if (!entry) return false;
    const { record, report, judgement } = entry;
    const { counts, comesBack } = await conclude(report.runnerName, judgement, this.ports);
    this.count(counts);
    if (!comesBack) return true;
    await this.comesBack(record, report, comesBack);
    return false;
  }

  private async comesBack(record: ReportRecord, { runnerName }: ReportMessage, { seconds }: NonNullable<Conclusion['comesBack']>): Promise<void> {
    const { log, now, queue } = this.ports;
    const nextLook = now() + (seconds ?? REPORT_QUEUE.visibilitySeconds) * 1000;
    if (record.sentAt + REPORT_QUEUE.retentionSeconds * 1000 <= nextLook) {
      log.error('a report expires before it can be looked at again', { runner: runnerName });
      this.count({ reportExpired: 1 });
    }
    if (seconds === undefined) return;
    try {
      await queue.postpone(record.receiptHandle, seconds);
    } catch (error) {
      // then it comes back at the queue's own pace
      log.warn('a report could not be postponed', { runner: runnerName, error: describeError(error) });
    }
  }

  private count(counts: DetectorCounts): void {
    const sums = this.counts as Record<string, number>;
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
}
