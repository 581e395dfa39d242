import { rmSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Bounds } from './bounds';
import { SHOP, synthesiseRunnerStack } from '../../examples/demo/runner-app';
import { parseLogDelivery } from '../../lambda-src/stolen/log-delivery';
import { JUDGE } from '../../src/contract/detector-limits';
import type { ReportMessage } from '../../src/contract/report-message';
import { DetectorStage, markerLine } from '../support/cloud/detector-stage';

const MOST = 12;

/** What a batch of reports costs the bundled judge, and how the time to read a log delivery grows. */
export async function benchDetector(bounds: Bounds): Promise<void> {
  bounds.section(`A batch of ${JUDGE.batchSize} reports`);
  const assembly = synthesiseRunnerStack();
  const stage = await DetectorStage.start({ organization: SHOP.organization, repositories: [SHOP.repository, SHOP.outsider] });
  try {
    await stage.deploy(assembly);
    for (const [index, kind] of BATCHES.entries()) await benchBatch(bounds, stage, kind, 1_000 * (index + 1));
  } finally {
    await stage.stop();
    rmSync(assembly, { recursive: true });
  }

  bounds.section('Reading a log delivery (processor time, least of nine)');
  const [short, long] = [readingTime(1_000), readingTime(10_000)] as const;
  bounds.note('1,000 lines', short, ' ms');
  bounds.note('10,000 lines', long, ' ms');
  bounds.atMost('the latter, times the former', long / short, MOST);
}

interface Batch {
  readonly what: string;
  readonly repository: string;
  readonly source: ReportMessage['source'];
}

const BATCHES: readonly Batch[] = [
  { what: 'swapped jobs, from logs', repository: SHOP.repository, source: 'log' },
  { what: 'swapped jobs, from webhooks', repository: SHOP.repository, source: 'signed' },
  { what: 'thefts, from logs', repository: SHOP.outsider, source: 'log' },
  { what: 'thefts, from webhooks', repository: SHOP.outsider, source: 'signed' },
];

/** Ten runners that were started for jobs from `first` on; each runs the job of the next one, or one of the outsider's. */
async function benchBatch(bounds: Bounds, stage: DetectorStage, { what, repository, source }: Batch, first: number): Promise<void> {
  const { github, cloud } = stage;
  const jobs = Array.from({ length: JUDGE.batchSize }, (_, index) => first + index);
  for (const job of jobs) {
    await stage.startRunner(runnerOf(job), JSON.stringify({ owner: 'acme', repo: 'shop', jobId: job }));
    github.addJob(repository, { id: ranFor(job, repository, jobs), run_id: job });
  }
  const reports = jobs.map((job) => {
    const { id, run_id: runId } = stage.pickUp(runnerOf(job), repository, ranFor(job, repository, jobs));
    return reportOf({ runnerName: runnerOf(job), repository, runId }, source, id);
  });

  const { recorder } = cloud.gateway;
  const counts = () => [recorder.count('states:DescribeExecution'), github.count({ path: /\/actions\/(runs|jobs)\// }), recorder.count('dynamodb:GetItem')];
  const before = counts();
  const result = await cloud.function('Judge').invoke(eventOf(reports));
  if (result.kind !== 'returned') throw new Error(`the judge failed: ${JSON.stringify(result)}`);
  const [executions = 0, lookUps = 0, reads = 0] = counts().map((count, index) => count - before[index]!);
  bounds.atMost(`${what}: executions looked up`, executions, JUDGE.batchSize);
  bounds.atMost(`${what}: jobs looked up`, lookUps, source === 'signed' ? 0 : JUDGE.batchSize);
  bounds.atMost(`${what}: reads of the table`, reads, JUDGE.batchSize);
  // jobs are recorded from events here, which may be late
  const { batchItemFailures } = result.value as SQSBatchResponse;
  bounds.exactly(`${what}: reports that wait for the record of a job`, batchItemFailures.length, repository === SHOP.outsider ? JUDGE.batchSize : 0);
}

function ranFor(job: number, repository: string, jobs: readonly number[]): number {
  return repository === SHOP.outsider ? job + 100 : jobs[(jobs.indexOf(job) + 1) % jobs.length]!;
}

function runnerOf(job: number): string {
  return `shop-${job}`;
}

function reportOf(report: Pick<ReportMessage, 'runnerName' | 'repository' | 'runId'>, source: ReportMessage['source'], jobId: number): ReportMessage {
  return source === 'log' ? { version: 1, source, ...report } : { version: 1, source, ...report, jobId, startedAt: new Date().toISOString() };
}

function eventOf(reports: readonly ReportMessage[]): SQSEvent {
  return {
    Records: reports.map((report) => ({
      messageId: report.runnerName,
      receiptHandle: report.runnerName,
      body: JSON.stringify(report),
      attributes: {
        SentTimestamp: String(Date.now()), ApproximateFirstReceiveTimestamp: String(Date.now()), ApproximateReceiveCount: '1', SenderId: 'bench', MessageGroupId: report.runnerName,
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:reports.fifo',
      awsRegion: 'eu-west-1',
    })),
  };
}

function readingTime(lines: number): number {
  const logEvents = Array.from({ length: lines }, (_, index) => ({ message: markerLine(`R${index}`, SHOP.repository, index + 1) }));
  const event = { awslogs: { data: gzipSync(JSON.stringify({ messageType: 'DATA_MESSAGE', logEvents })).toString('base64') } };
  const once = () => {
    const start = process.cpuUsage();
    parseLogDelivery(event);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  once();
  return Math.min(...Array.from({ length: 9 }, once));
}
