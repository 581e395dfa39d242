import fc from 'fast-check';
import { FUZZ_RUNS, FUZZ_TIMEOUT_MS } from './fuzz-runs';
import { parseExecutionInput } from '../../../lambda-src/stolen/execution-input';

jest.setTimeout(FUZZ_TIMEOUT_MS);

test('the input of cdk-github-runners tells the job, what it needs and what the runner has', () => {
  const input = { owner: 'acme', repo: 'app', jobId: 100, jobLabels: 'self-hosted,big', labels: 'linux, big,', provider: 'Stack/Fargate', installationId: -1 };

  expect(parseExecutionInput(JSON.stringify(input))).toEqual({ id: 100, repository: 'acme/app', needs: ['self-hosted', 'big'], labels: ['linux', 'big'] });
});

test('an older release gives the labels of the job only; its runner has those of its provider, which nobody tells', () => {
  expect(parseExecutionInput('{"jobId":100,"labels":"self-hosted,big"}')).toEqual({
    id: 100, repository: undefined, needs: ['self-hosted', 'big'], labels: undefined,
  });
});

test.each(['{"jobId":100}', '{"jobId":100,"labels":""}', '{"jobId":100,"labels":[]}', '{"jobId":100,"labels":[1]}', '{"jobId":100,"jobLabels":{},"labels":null}'])(
  '%s says nothing about labels', (input) => {
    expect(parseExecutionInput(input)).toEqual({ id: 100, repository: undefined, needs: undefined, labels: undefined });
  },
);

test('labels can be an array as well', () => {
  expect(parseExecutionInput('{"jobId":1,"jobLabels":["a"],"labels":["a","b"]}')).toMatchObject({ needs: ['a'], labels: ['a', 'b'] });
});

test.each(['acme/..', 'a b/app', '/app', 'acme/'])('a repository %s is none', (repository) => {
  const [owner, repo] = repository.split('/');
  expect(parseExecutionInput(JSON.stringify({ jobId: 1, owner, repo }))?.repository).toBeUndefined();
});

test('an owner that cannot even be printed is none', () => {
  expect(parseExecutionInput('{"jobId":1,"owner":{"toString":1},"repo":"app"}')?.repository).toBeUndefined();
});

test('whatever was given to an execution, it was started for a job with a positive id, or for nobody', () => {
  const field = fc.oneof(fc.jsonValue(), fc.integer(), fc.constantFrom('acme', 'app', 'a,b', '..'));
  const shaped = fc.record({ jobId: field, owner: field, repo: field, labels: field, jobLabels: field }, { requiredKeys: [] });
  const input = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), shaped.map((value) => JSON.stringify(value)));
  fc.assert(fc.property(input, (text) => {
    const own = parseExecutionInput(text);
    if (!own) return;
    expect(Number.isSafeInteger(own.id) && own.id > 0).toBe(true);
    if (own.repository !== undefined) expect(own.repository).toMatch(/^[\w-]+\/[\w.-]+$/);
    for (const labels of [own.needs, own.labels]) expect(labels).not.toEqual([]);
  }), { numRuns: FUZZ_RUNS });
});
