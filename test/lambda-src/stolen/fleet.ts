import { MemoryExecutions, MemoryJobs, MemoryLedger } from './memory-ports';
import { openReports } from '../../../lambda-src/stolen/report-batch';
import type { ReportBatchPorts } from '../../../lambda-src/stolen/report-batch';
import type { DetectorCounts } from '../../../src/contract/detector-metrics';
import type { ReportMessage } from '../../../src/contract/report-message';
import { recordedLog } from '../compute/recorded-log';

const MINUTE = 60_000;

type Settings = Pick<ReportBatchPorts, 'recordsLate' | 'observeOnly' | 'maxReplacements' | 'maxReplacementsPerHour'>;

export interface StartOptions {
  readonly repository?: string;
  readonly labels?: string;
  readonly jobLabels?: string;
  /** false: nobody recorded the job */
  readonly recorded?: boolean;
}

export interface PickOptions {
  readonly repository?: string;
  readonly runId?: number;
  readonly startedAt?: number;
  readonly labels?: string[];
}

export interface DeliveryOptions {
  /** seconds since they were first received, all of them or each */
  readonly waited?: number | readonly number[];
  /** seconds since they were sent */
  readonly age?: number;
}

export interface Delivery {
  /** what was counted; absent: nothing */
  readonly counts: DetectorCounts;
  /** the runners whose reports go back to the queue */
  readonly returned: readonly string[];
  /** seconds for which they are postponed */
  readonly postponed: readonly number[];
  /** the executions that this delivery started */
  readonly started: readonly string[];
}

/** A fleet of runners, what GitHub and Step Functions know of it, and the judge that reads reports about it. */
export class Fleet {
  now = Date.parse('2026-05-01T10:10:00Z');
  readonly executions = new MemoryExecutions();
  readonly jobs = new MemoryJobs();
  readonly ledger = new MemoryLedger(() => this.now);
  readonly log = recordedLog();
  private messages = 0;

  constructor(private readonly options: Partial<Settings> = {}) {}

  /** The runner stack starts a runner for a job. @returns the execution's input */
  async start(name: string, jobId: number, { repository = 'acme/app', recorded = true, labels, jobLabels }: StartOptions = {}): Promise<string> {
    const [owner, repo] = repository.split('/');
    // with blanks, as nobody would write it twice: a replacement has to repeat it byte for byte
    const input = `{"owner": "${owner}", "repo":"${repo}",  "jobId":${jobId}${labels === undefined ? '' : `, "labels":"${labels}"`}` +
      `${jobLabels === undefined ? '' : `, "jobLabels":"${jobLabels}"`}}`;
    this.executions.all.set(name, { name, input, life: 'running', endedAt: undefined });
    this.jobs.queue(jobId, repository);
    if (recorded) await this.ledger.recordRunner({ jobId, runnerName: name, labels: labels?.split(',') });
    return input;
  }

  /** The runner's machine is gone, with or without having worked. */
  end(name: string, life: 'succeeded' | 'failed', endedAt = this.now): void {
    this.executions.all.set(name, { ...this.executions.all.get(name)!, life, endedAt });
  }

  /** GitHub gives a job to a runner. @returns the report that the runner's log makes of it */
  picks(runnerName: string, jobId: number, options: PickOptions = {}): ReportMessage {
    const { repository = 'acme/app', runId = jobId * 10, startedAt = this.now - MINUTE, labels } = options;
    this.jobs.all.set(jobId, { id: jobId, repository, runId, runnerName, startedAt, labels });
    return { version: 1, source: 'log', runnerName, repository, runId };
  }

  /** The same, as the webhook reports it. */
  signed(runnerName: string, jobId: number, options: PickOptions = {}): ReportMessage {
    const { source: _, ...report } = this.picks(runnerName, jobId, options);
    const job = this.jobs.all.get(jobId)!;
    return { ...report, source: 'signed', jobId, startedAt: new Date(job.startedAt!).toISOString(), ...(job.labels && { labels: job.labels }) };
  }

  /** The queue hands reports to the judge. */
  async deliver(reports: readonly (ReportMessage | string)[], { waited = 0, age = 60 }: DeliveryOptions = {}): Promise<Delivery> {
    const startedBefore = this.executions.started.length;
    const postponed: number[] = [];
    const records = reports.map((report, index) => ({
      messageId: `m${this.messages++}`,
      receiptHandle: 'receipt',
      body: typeof report === 'string' ? report : JSON.stringify(report),
      sentAt: this.now - age * 1000,
      firstReceivedAt: this.now - (typeof waited === 'number' ? waited : waited[index]!) * 1000,
      runner: typeof report === 'string' ? report : report.runnerName,
    }));
    const batch = await openReports(records, {
      executions: this.executions,
      jobs: this.jobs,
      ledger: this.ledger,
      queue: { postpone: async (_, seconds) => void postponed.push(seconds) },
      log: this.log,
      now: () => this.now,
      recordsLate: false,
      maxReplacements: 3,
      maxReplacementsPerHour: 20,
      observeOnly: false,
      ...this.options,
    });
    const returned: string[] = [];
    for (const record of records) if (!await batch.settle(record.messageId)) returned.push(record.runner);
    return { counts: batch.counts, returned, postponed, started: this.executions.started.slice(startedBefore) };
  }
}
