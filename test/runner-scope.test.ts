import { Lazy } from 'aws-cdk-lib';
import { RunnerGroup, RunnerScope } from '../src';

const NAME = 'a name of letters, digits, - and _ that starts with a letter or digit';
const REPOSITORY = 'the name of a repository without its owner: up to 100 letters, digits, -, _ and .';

test('an organization without groups means all that are its own', () => {
  expect(RunnerScope.organization('acme')._config).toEqual({ kind: 'organization', owner: 'acme' });
});

test('groups are known by name or by id', () => {
  const runnerGroups = [RunnerGroup.named('big ones'), RunnerGroup.withId(7), RunnerGroup.named('7')];
  expect(RunnerScope.enterprise('acme', { runnerGroups })._config)
    .toEqual({ kind: 'enterprise', owner: 'acme', groups: { names: ['big ones', '7'], ids: [7] } });
});

test('repositories have one owner', () => {
  expect(RunnerScope.repositories('acme', ['one', '.github', 'with_under.score'])._config)
    .toEqual({ kind: 'repositories', owner: 'acme', repositories: ['one', '.github', 'with_under.score'] });
});

test.each<[string, () => unknown, string]>([
  ['a blank organization', () => RunnerScope.organization(' '), `'organization' must be ${NAME}, got ' '`],
  ['a URL as organization', () => RunnerScope.organization('https://github.com/acme'), `'organization' must be ${NAME}, got 'https://github.com/acme'`],
  ['a path as organization', () => RunnerScope.organization('../acme'), `'organization' must be ${NAME}, got '../acme'`],
  ['a blank enterprise', () => RunnerScope.enterprise(''), `'enterprise' must be ${NAME}, got ''`],
  ['an owner with a line end', () => RunnerScope.repositories('acme\n', ['one']), `'owner' must be ${NAME}, got 'acme\n'`],
  ['no repositories', () => RunnerScope.repositories('acme', []), "'repositories' must be a list of at least one item, got none"],
  ['a repository with its owner', () => RunnerScope.repositories('acme', ['acme/one']), `'repositories[0]' must be ${REPOSITORY}, got 'acme/one'`],
  ['a repository that is a path', () => RunnerScope.repositories('acme', ['one', '..']), `'repositories[1]' must be ${REPOSITORY}, got '..'`],
  ['a blank repository', () => RunnerScope.repositories('acme', ['']), `'repositories[0]' must be ${REPOSITORY}, got ''`],
  ['a repository in two cases', () => RunnerScope.repositories('acme', ['One', 'one']), "'repositories[1]' must be listed once, got 'one'"],
  ['an empty list of groups', () => RunnerScope.organization('acme', { runnerGroups: [] }),
    "'runnerGroups' must be left out for all groups, or a list of at least one, got none"],
  ['a group twice by name', () => RunnerScope.organization('acme', { runnerGroups: [RunnerGroup.named('a'), RunnerGroup.named('a')] }),
    "'runnerGroups[1]' must be listed once, got 'a'"],
  ['a group twice by id', () => RunnerScope.organization('acme', { runnerGroups: [RunnerGroup.withId(3), RunnerGroup.withId(3)] }),
    "'runnerGroups[1]' must be listed once, got 3"],
  ['a blank group', () => RunnerGroup.named(' '), "'runner group name' must be more than blanks, got ' '"],
  ['group 0', () => RunnerGroup.withId(0), `'runner group id' must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}, got 0`],
  ['half a group', () => RunnerGroup.withId(1.5), `'runner group id' must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}, got 1.5`],
])('%s is an error', (_, make, message) => {
  expect(make).toThrow(new Error(message));
});

test('a token passes, its value is not known yet', () => {
  const text = Lazy.string({ produce: () => 'later' });
  const runnerGroups = [RunnerGroup.named(text), RunnerGroup.withId(Lazy.number({ produce: () => 1 }))];
  expect(() => RunnerScope.organization(text, { runnerGroups })).not.toThrow();
  expect(() => RunnerScope.repositories(text, [text, 'one'])).not.toThrow();
});
