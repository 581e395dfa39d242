import { hasNextPage } from '../../../lambda-src/github/pager';
import { TransientError } from '../../../lambda-src/shared/errors';

const API = 'https://api.github.com';
const next = (link: string | undefined, api = API) => hasNextPage('GET /x', link, api);

test.each([
  ['by number of the organization', '<https://api.github.com/organizations/9/actions/runner-groups/1/runners?page=2>; rel="next"'],
  ['among others', '<https://api.github.com/x?page=1>; rel="prev", <https://api.github.com/x?page=3>; rel="next", <https://api.github.com/x?page=9>; rel="last"'],
  ['without quotes', '<https://api.github.com/x?page=2>;rel=next'],
  ['behind other parameters', '<https://api.github.com/x?page=2>; title="a, b; rel=\'prev\'"; rel="next"'],
  ['as one of several relations', '<https://api.github.com/x?page=2>; rel="last next"'],
  ['with a comma in the address', '<https://api.github.com/x?ids=1,2&page=2>; rel="next"'],
  ['relative', '</x?page=2>; rel="next"'],
])('a next page is announced %s', (_, link) => {
  expect(next(link)).toBe(true);
});

test.each([
  ['no header', undefined],
  ['an empty one', ''],
  ['only earlier pages', '<https://api.github.com/x?page=1>; rel="prev", <https://api.github.com/x?page=1>; rel="first"'],
  ['another kind of link to anywhere', '<https://docs.github.com/x>; rel="deprecation"'],
  ['the word in the address', '<https://api.github.com/x?rel=next>; rel="prev"'],
])('%s announces none', (_, link) => {
  expect(next(link)).toBe(false);
});

test.each([
  ['another host', '<https://evil.example/x?page=2>; rel="next"'],
  ['a host that looks alike', '<https://api.github.com.evil.example/x?page=2>; rel="next"'],
  ['plain http', '<http://api.github.com/x?page=2>; rel="next"'],
  ['another port', '<https://api.github.com:8443/x?page=2>; rel="next"'],
  ['no address', '<http://[/x>; rel="next"'],
])('a next page at %s is an error', (_, link) => {
  expect(() => next(link)).toThrow(TransientError);
});

test('a server behind a path of its own is compared by its origin', () => {
  expect(next('<https://ghe.example/api/v3/organizations/9/x?page=2>; rel="next"', 'https://ghe.example/api/v3')).toBe(true);
});
