import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { FUZZ_RUNS, FUZZ_TIMEOUT_MS } from './fuzz-runs';
import { MalformedInputError } from '../../../lambda-src/shared/errors';
import { parseLogDelivery } from '../../../lambda-src/stolen/log-delivery';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const MARKER = 'CDKGHR JOB RUNNER=R1 REPO=acme/app WORKFLOW_ID=1';

function packed(content: unknown): unknown {
  return { awslogs: { data: gzipSync(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64') } };
}

function delivery(...messages: unknown[]): unknown {
  return packed({ messageType: 'DATA_MESSAGE', logGroup: '/runners', logEvents: messages.map((message, id) => ({ id: String(id), timestamp: 0, message })) });
}

test('case 38: fifty copies of one line are one report', () => {
  expect(parseLogDelivery(delivery(...Array.from({ length: 50 }, () => MARKER)))).toHaveLength(1);
});

test('case 38: of three repositories for one runner only the first counts: the rest was printed by its job', () => {
  const lines = ['acme/app', 'other/one', 'other/two'].map((repository) => `CDKGHR JOB RUNNER=R1 REPO=${repository} WORKFLOW_ID=1`);

  expect(parseLogDelivery(delivery(...lines))).toMatchObject([{ repository: 'acme/app' }]);
});

test('every runner of a delivery is reported, also where one event holds several lines', () => {
  const second = MARKER.replace('R1', 'R2');

  expect(parseLogDelivery(delivery(`starting\r\n${MARKER}\r\n`, `${second}\nmore`, 17, null)).map(({ runnerName }) => runnerName)).toEqual(['R1', 'R2']);
});

test('a control message holds no reports', () => {
  expect(parseLogDelivery(packed({ messageType: 'CONTROL_MESSAGE', logEvents: [{ message: MARKER }] }))).toEqual([]);
});

test.each([
  ['an event of another kind', { Records: [] }],
  ['no event', undefined],
  ['no text', { awslogs: { data: 5 } }],
  ['no base64 and gzip', { awslogs: { data: 'CDKGHR' } }],
  ['no JSON', packed('CDKGHR')],
  ['no JSON object', packed([])],
  ['another type of message', packed({ messageType: 'OTHER', logEvents: [] })],
  ['a type of message that cannot even be printed', packed('{"messageType":{"toString":1}}')],
  ['no list of events', packed({ messageType: 'DATA_MESSAGE' })],
  ['what unpacks to more than the memory of the function has room for', packed(' '.repeat(16 * 1024 * 1024) + '{"messageType":"CONTROL_MESSAGE"}')],
])('%s is refused by name', (_, event) => {
  expect(() => parseLogDelivery(event)).toThrow(MalformedInputError);
});

test('whatever is delivered, there is at most one report for a runner, or a refusal by name', () => {
  const line = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(MARKER, `${MARKER}\r\n${MARKER.replace('R1', 'R2')}`, `+ echo ${MARKER}`));
  const content = fc.oneof(
    fc.jsonValue(),
    fc.record({
      messageType: fc.oneof(fc.constantFrom('DATA_MESSAGE', 'CONTROL_MESSAGE'), fc.jsonValue()),
      logEvents: fc.oneof(fc.array(fc.record({ message: fc.oneof(line, fc.jsonValue()) }), { maxLength: 5 }), fc.jsonValue()),
    }),
  );
  const event = fc.oneof({ weight: 1, arbitrary: fc.jsonValue() }, { weight: 9, arbitrary: content.map(packed) });
  fc.assert(fc.property(event, (value) => {
    let reports;
    try {
      reports = parseLogDelivery(value);
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedInputError);
      return;
    }
    expect(new Set(reports.map(({ runnerName }) => runnerName)).size).toBe(reports.length);
  }), { numRuns: FUZZ_RUNS });
});

test('a delivery of ten times the lines takes about ten times as long', () => {
  const hostile = `CDKGHR JOB RUNNER=${' REPO='.repeat(150)} WORKFLOW_ID=`;
  const time = (lines: number) => {
    const event = delivery(...Array.from({ length: lines }, (_, index) => index % 2 ? hostile : MARKER.replace('R1', `R${index}`)));
    // processor time: the clock on the wall also shows what else the machine is doing
    return Math.min(...Array.from({ length: 9 }, () => {
      const start = process.cpuUsage();
      parseLogDelivery(event);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    }));
  };
  time(1000);

  // about 9 are measured; a quadratic parser would need 100
  expect(time(10_000) / time(1000)).toBeLessThan(24);
});
