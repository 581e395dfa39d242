import fc from 'fast-check';
import { FUZZ_RUNS, FUZZ_TIMEOUT_MS } from './fuzz-runs';
import { parseLogLine } from '../../../lambda-src/stolen/log-line';
import { parseReport } from '../../../lambda-src/stolen/report';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const REPORT = { version: 1, source: 'log', runnerName: 'app-1f2e', repository: 'acme/app', runId: 123 };

test.each([
  ['with its repository', 'CDKGHR JOB RUNNER=app-1f2e REPO=acme/app WORKFLOW_ID=123', REPORT],
  ['of an older release, without it', 'CDKGHR JOB RUNNER=app-1f2e WORKFLOW_ID=123', { version: 1, source: 'log', runnerName: 'app-1f2e', runId: 123 }],
  ['from Windows, which ends lines with CRLF', 'CDKGHR JOB RUNNER=app-1f2e REPO=acme/app WORKFLOW_ID=123\r\n', REPORT],
  ['with blanks at its end', 'CDKGHR JOB RUNNER=app-1f2e REPO=acme/app WORKFLOW_ID=123  ', REPORT],
  ['of a repository whose name begins with a dot', 'CDKGHR JOB RUNNER=.github-1 REPO=acme/.github WORKFLOW_ID=1', { ...REPORT, runnerName: '.github-1', repository: 'acme/.github', runId: 1 }],
])('case 38: a marker line %s is a report', (_, line, report) => {
  expect(parseLogLine(line)).toEqual(report);
});

test.each([
  ['a variable that is not expanded', 'CDKGHR JOB RUNNER=$RUNNER REPO=acme/app WORKFLOW_ID=123'],
  ['a shell trace', '+ echo CDKGHR JOB RUNNER=app-1f2e REPO=acme/app WORKFLOW_ID=123'],
  ['a run that is not known', 'CDKGHR JOB RUNNER=app-1f2e REPO=acme/app WORKFLOW_ID=NONE'],
  ['run 0', 'CDKGHR JOB RUNNER=app-1f2e REPO=acme/app WORKFLOW_ID=0'],
  ['a run beyond 2^53', 'CDKGHR JOB RUNNER=app-1f2e REPO=acme/app WORKFLOW_ID=9007199254740993'],
  ['a name that is too long for GitHub', `CDKGHR JOB RUNNER=${'x'.repeat(300)} REPO=acme/app WORKFLOW_ID=123`],
  ['a control character', 'CDKGHR JOB RUNNER=app\u00001 REPO=acme/app WORKFLOW_ID=123'],
  ['an escape sequence', '\u001b[0mCDKGHR JOB RUNNER=app-1 REPO=acme/app WORKFLOW_ID=123'],
  ['a path instead of a repository', 'CDKGHR JOB RUNNER=app-1f2e REPO=acme/.. WORKFLOW_ID=123'],
  ['a deeper path', 'CDKGHR JOB RUNNER=app-1f2e REPO=acme/app/actions WORKFLOW_ID=123'],
  ['an encoded path', 'CDKGHR JOB RUNNER=app-1f2e REPO=acme/%2e%2e WORKFLOW_ID=123'],
  ['more than the marker', 'CDKGHR JOB RUNNER=app-1f2e REPO=acme/app WORKFLOW_ID=123 and more'],
  ['no runner', 'CDKGHR JOB RUNNER= REPO=acme/app WORKFLOW_ID=123'],
  ['more than 1,000 characters', `CDKGHR JOB RUNNER=app-1f2e REPO=acme/app WORKFLOW_ID=123${' '.repeat(1000)}`],
  ['anything else', 'Listening for Jobs'],
])('case 38: a line with %s is none', (_, line) => {
  expect(parseLogLine(line)).toBeUndefined();
});

test('whatever a job prints, a report is complete and valid, or there is none', () => {
  const word = fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), fc.constantFrom('app-1', 'acme/app', '123', '../..', '$X', 'acme/..'));
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.tuple(word, word, word).map(([name, repository, run]) => `CDKGHR JOB RUNNER=${name} REPO=${repository} WORKFLOW_ID=${run}`),
    fc.tuple(word, word, word, word).map((words) => `${words[0]}CDKGHR JOB RUNNER=${words[1]} WORKFLOW_ID=${words[2]}${words[3]}`),
  );
  fc.assert(fc.property(line, (text) => {
    const report = parseLogLine(text);
    if (report) expect(parseReport(JSON.stringify(report))).toEqual(report);
  }), { numRuns: FUZZ_RUNS });
});
