import { gzipSync } from 'node:zlib';
import { MemoryLedger } from './memory-ports';
import { TransientError } from '../../../lambda-src/shared/errors';
import { takeIn } from '../../../lambda-src/stolen/intake';
import { recordExecution } from '../../../lambda-src/stolen/record-execution';
import type { DetectorCounts } from '../../../src/contract/detector-metrics';
import type { ReportMessage } from '../../../src/contract/report-message';
import { recordedLog } from '../compute/recorded-log';

function delivery(messages: readonly string[]): unknown {
  const content = { messageType: 'DATA_MESSAGE', logEvents: messages.map((message) => ({ message })) };
  return { awslogs: { data: gzipSync(JSON.stringify(content)).toString('base64') } };
}

async function takenIn(event: unknown, refuse: (report: ReportMessage) => boolean = () => false) {
  const sent: ReportMessage[] = [];
  const counts: DetectorCounts[] = [];
  let sends = 0;
  const send = async (reports: readonly ReportMessage[]) => {
    sends += 1;
    sent.push(...reports.filter((report) => !refuse(report)));
    return reports.filter(refuse);
  };
  const taken = takeIn(event, { queue: { send }, log: recordedLog(), count: (count) => void counts.push(count) });
  const error = await taken.catch((thrown: unknown) => thrown);
  return { sent: sent.map(({ runnerName }) => runnerName), counts, sends, error };
}

const marker = (runner: string) => `CDKGHR JOB RUNNER=${runner} REPO=acme/app WORKFLOW_ID=1`;

describe('log deliveries', () => {
  test('what runners wrote goes to the queue', async () => {
    expect(await takenIn(delivery([marker('R1'), 'noise', marker('R2')]))).toEqual({ sent: ['R1', 'R2'], counts: [], sends: 1, error: undefined });
  });

  test('without a report nothing is sent', async () => {
    expect(await takenIn(delivery(['noise']))).toMatchObject({ sends: 0, error: undefined });
  });

  test('one that cannot be read is counted and not asked for again', async () => {
    expect(await takenIn({ awslogs: { data: '?' } })).toEqual({ sent: [], counts: [{ malformed: 1 }], sends: 0, error: undefined });
  });

  test('of more runners than can be only the first hundred are reported, and the rest is counted', async () => {
    const { sent, counts } = await takenIn(delivery(Array.from({ length: 102 }, (_, index) => marker(`R${index}`))));

    expect([sent.length, sent[0], sent.at(-1)]).toEqual([100, 'R0', 'R99']);
    expect(counts).toEqual([{ malformed: 2 }]);
  });

  test('a report that the queue refuses fails the delivery, which comes again', async () => {
    const { sent, counts, error } = await takenIn(delivery([marker('R1'), marker('R2')]), ({ runnerName }) => runnerName === 'R2');

    expect(sent).toEqual(['R1']);
    expect(counts).toEqual([{ sendsFailed: 1 }]);
    expect(error).toEqual(new TransientError('1 of 2 reports could not be queued'));
  });
});

describe('status events of the state machine', () => {
  async function recorded(event: unknown) {
    const ledger = new MemoryLedger();
    const counts: DetectorCounts[] = [];
    await recordExecution(event, { ledger, log: recordedLog(), count: (count) => void counts.push(count) });
    return { job: await ledger.job(100), counts };
  }

  const event = (detail: unknown) => ({ 'source': 'aws.states', 'detail-type': 'Step Functions Execution Status Change', detail });

  test.each(['RUNNING', 'SUCCEEDED', 'ABORTED'])('%s records the job with its runner and labels', async (status) => {
    const input = JSON.stringify({ jobId: 100, jobLabels: 'big', labels: 'self-hosted,big' });

    expect(await recorded(event({ name: 'R1', status, input }))).toEqual({ job: { id: 100, runners: ['R1'], labels: ['self-hosted', 'big'] }, counts: [] });
  });

  test('an input that the event left out is counted', async () => {
    expect(await recorded(event({ name: 'R1', status: 'RUNNING', input: null, inputDetails: { included: false } }))).toEqual({ job: undefined, counts: [{ inputsMissing: 1 }] });
  });

  test.each([
    ['a runner for nobody', event({ name: 'R1', input: '{"jobId":-1}' })],
    ['a name that no runner can have', event({ name: 'a b', input: '{"jobId":100}' })],
    ['no execution', event({})],
    ['no event', null],
  ])('%s records nothing', async (_, given) => {
    expect(await recorded(given)).toEqual({ job: undefined, counts: [] });
  });

  test('a ledger that cannot be written fails the event, which comes again', async () => {
    const ledger = { recordRunner: async () => Promise.reject(new TransientError('throttled')) };

    await expect(recordExecution(event({ name: 'R1', input: '{"jobId":100}' }), { ledger, log: recordedLog(), count: () => {} })).rejects.toThrow(TransientError);
  });
});
