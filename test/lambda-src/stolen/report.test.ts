import fc from 'fast-check';
import { FUZZ_RUNS, FUZZ_TIMEOUT_MS } from './fuzz-runs';
import { MalformedInputError } from '../../../lambda-src/shared/errors';
import { parseReport } from '../../../lambda-src/stolen/report';
import { reportDeduplicationId } from '../../../src/contract/report-message';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const LOG = { version: 1, source: 'log', runnerName: 'R1', repository: 'acme/app', runId: 5 };
const SIGNED = { version: 1, source: 'signed', runnerName: 'R1', repository: 'acme/app', jobId: 7, startedAt: '2026-05-01T10:00:00Z', labels: ['a'] };

test.each([['from a log', LOG], ['without a repository', { version: 1, source: 'log', runnerName: 'R1', runId: 5 }], ['from a webhook', SIGNED]])('a report %s is read as it is', (_, report) => {
  expect(parseReport(JSON.stringify(report))).toEqual(report);
});

test('what the contract does not know is left out', () => {
  expect(parseReport(JSON.stringify({ ...LOG, note: 'x' }))).toEqual(LOG);
});

test.each([
  ['version', { ...LOG, version: 2 }, "'version' of a report must be 1, got 2"],
  ['source', { ...LOG, source: 'rumour' }, "'source' of a report must be log or signed, got \"rumour\""],
  ['runnerName', { ...LOG, runnerName: 'a b' }, "'runnerName' of a report must be 1 to 64 letters, digits, dots, dashes and underscores, got \"a b\""],
  ['repository', { ...LOG, repository: 'acme/..' }, "'repository' of a report must be owner/name, got \"acme/..\""],
  ['runId', { ...LOG, runId: -5 }, "'runId' of a report must be a positive integer, got -5"],
  ['no run and no job', { ...LOG, runId: undefined }, "'runId' of a report must be a positive integer when there is no job id, got nothing"],
  ['jobId', { ...SIGNED, jobId: 1.5 }, "'jobId' of a report must be a positive integer, got 1.5"],
  ['a job id in a log', { ...LOG, jobId: 7 }, "'jobId' of a report must be absent in a report from a log, got 7"],
  ['a job id of no repository', { ...SIGNED, repository: undefined }, "'repository' of a report must be owner/name when there is a job id, got nothing"],
  ['startedAt', { ...SIGNED, startedAt: 'yesterday' }, "'startedAt' of a report must be an ISO 8601 time, got \"yesterday\""],
  ['labels', { ...SIGNED, labels: 'a,b' }, "'labels' of a report must be an array of strings, got \"a,b\""],
])('%s: the error names property, value and what is allowed', (_, report, message) => {
  expect(() => parseReport(JSON.stringify(report))).toThrow(new MalformedInputError(message));
});

test('an error shows no more of a value than is needed to recognise it', () => {
  expect(() => parseReport(JSON.stringify({ ...LOG, source: 'x'.repeat(10_000) }))).toThrow(/^.{1,200}$/);
});

test('whatever stands on the queue is a valid report or is refused by name', () => {
  const field = fc.oneof(fc.jsonValue(), fc.constantFrom(1, 'log', 'signed', 'R1', 'acme/app', 5, '2026-05-01T10:00:00Z'));
  const shaped = fc.record({
    version: fc.constantFrom(1, 1, 1, 2),
    source: fc.oneof(fc.constantFrom('log', 'signed'), field),
    runnerName: field,
    repository: field,
    runId: field,
    jobId: field,
    startedAt: field,
    labels: field,
  }, { requiredKeys: [] });
  const body = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), shaped.map((value) => JSON.stringify(value)));
  fc.assert(fc.property(body, (text) => {
    let report;
    try {
      report = parseReport(text);
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedInputError);
      return;
    }
    expect(report.runnerName).toMatch(/^[\w.-]{1,64}$/);
    expect(reportDeduplicationId(report).length).toBeLessThanOrEqual(128);
    expect(parseReport(JSON.stringify(report))).toEqual(report);
  }), { numRuns: FUZZ_RUNS });
});
