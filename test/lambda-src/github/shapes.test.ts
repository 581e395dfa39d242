import * as fc from 'fast-check';
import { parseGroupPage, parseRunner, parseRunnerPage } from '../../../lambda-src/github/shapes';
import { TransientError } from '../../../lambda-src/shared/errors';

const RUNNER = {
  id: 7, name: 'p_i-1', os: 'linux', status: 'offline', busy: false, labels: [{ id: 1, name: 'self-hosted', type: 'read-only' }], runner_group_id: 3,
};
const key = (id: number | undefined) => id === undefined ? undefined : String(id);
const parse = (changes: object) => () => parseRunner('GET /x', { ...RUNNER, ...changes }, key);

test('a runner is what GitHub says it is', () => {
  expect(parse({})()).toEqual({ id: 7, name: 'p_i-1', status: 'offline', busy: false, labels: ['self-hosted'], groupKey: '3' });
});

test.each([[{ runner_group_id: undefined }], [{ runner_group_id: null }]])('older servers do not name the group: %p', (changes) => {
  expect(parse(changes)().groupKey).toBeUndefined();
});

test.each([
  ['busy', undefined], ['busy', 'false'], ['busy', 0], ['busy', null],
  ['id', '7'], ['id', 7.5], ['id', -1], ['id', 2n ** 60n], ['id', 2 ** 53], ['id', NaN],
  ['name', undefined], ['name', 7], ['status', undefined], ['status', null],
  ['labels', undefined], ['labels', ['x']], ['labels', [{ name: 7 }]], ['runner_group_id', '3'],
])('a runner whose %s is %p is no runner', (name, value) => {
  expect(parse({ [name]: value })).toThrow(TransientError);
});

test.each([
  ['an empty body', ''], ['text', '<html>'], ['null', null], ['an array', []], ['no runners', { total_count: 0 }],
  ['runners that are no list', { total_count: 0, runners: {} }], ['no count', { runners: [] }],
  ['a count in words', { total_count: '0', runners: [] }], ['one bad runner among good ones', { total_count: 2, runners: [RUNNER, { ...RUNNER, busy: undefined }] }],
])('%s is no page', (_, data) => {
  expect(() => parseRunnerPage('GET /x', data, key)).toThrow(TransientError);
  expect(() => parseGroupPage('GET /x', data)).toThrow(TransientError);
});

test('the error says what was asked, what was expected and the kind of what came, not its content', () => {
  expect(() => parseRunnerPage('GET /x', 'a secret', key)).toThrow('GET /x: wrong shape: the body must be an object, got string');
});

test('an enterprise lists its groups without saying that they are inherited', () => {
  expect(parseGroupPage('GET /x', { total_count: 1, runner_groups: [{ id: 1, name: 'Default' }] }).groups).toEqual([{ id: 1, name: 'Default', inherited: false }]);
});

test('whatever the body holds, the answer is a runner of the right types or an error that says so', () => {
  const anyRunner = fc.record({ id: fc.anything(), name: fc.anything(), status: fc.anything(), busy: fc.anything(), labels: fc.anything() });
  fc.assert(fc.property(anyRunner, (runner) => {
    try {
      const parsed = parseRunner('GET /x', runner, key);
      expect([typeof parsed.id, typeof parsed.name, typeof parsed.status, typeof parsed.busy]).toEqual(['number', 'string', 'string', 'boolean']);
    } catch (error) {
      expect(error).toBeInstanceOf(TransientError);
    }
  }));
});
