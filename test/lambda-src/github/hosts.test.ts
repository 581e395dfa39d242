import { apiUrl, urlOfDomain } from '../../../lambda-src/github/hosts';
import { ConfigurationError } from '../../../lambda-src/shared/errors';

test.each([
  [undefined, 'https://api.github.com'],
  ['', 'https://api.github.com'],
  ['  ', 'https://api.github.com'],
  ['https://github.com', 'https://api.github.com'],
  ['https://GitHub.com/', 'https://api.github.com'],
  ['https://github.com:443/', 'https://api.github.com'],
  ['https://api.github.com', 'https://api.github.com'],
  ['https://x.ghe.com', 'https://api.x.ghe.com'],
  ['https://x.ghe.com/', 'https://api.x.ghe.com'],
  ['https://api.x.ghe.com', 'https://api.x.ghe.com'],
  ['https://ghe.example', 'https://ghe.example/api/v3'],
  ['https://ghe.example/', 'https://ghe.example/api/v3'],
  ['https://ghe.example/api/v3', 'https://ghe.example/api/v3'],
  ['https://ghe.example/api/v3/', 'https://ghe.example/api/v3'],
  ['https://ghe.example:8443', 'https://ghe.example:8443/api/v3'],
  ['https://github.com.example', 'https://github.com.example/api/v3'],
  ['https://x.ghe.com.example', 'https://x.ghe.com.example/api/v3'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/api/v3'],
  ['http://localhost:3000/', 'http://localhost:3000/api/v3'],
  ['http://[::1]:3000', 'http://[::1]:3000/api/v3'],
])('case 21: the API of %p is %s', (githubUrl, expected) => {
  expect(apiUrl(githubUrl)).toBe(expected);
});

test.each([
  ['github.com', 'it is not an address'],
  ['http://github.com', 'tokens travel over https only'],
  ['http://x.ghe.com', 'tokens travel over https only'],
  ['http://ghe.example', 'tokens travel over https only'],
  ['http://127.0.0.1.example', 'tokens travel over https only'],
  ['ftp://ghe.example', 'tokens travel over https only'],
  ['https://github.com/acme', 'the path must be empty'],
  ['https://x.ghe.com/api/v3', 'the path must be empty'],
  ['https://ghe.example/api/v4', 'the path must be empty or /api/v3'],
  ['https://ghe.example?x=1', 'neither query nor fragment'],
  ['https://ghe.example/#x', 'neither query nor fragment'],
])('%s is refused with its value, the reason and the allowed forms', (githubUrl, reason) => {
  const refused = () => apiUrl(githubUrl);
  expect(refused).toThrow(ConfigurationError);
  expect(refused).toThrow(`got '${githubUrl}'`);
  expect(refused).toThrow(reason);
  expect(refused).toThrow('https://<tenant>.ghe.com');
});

test('a password in the address is refused and not repeated', () => {
  expect(() => apiUrl('https://me:hunter2@ghe.example')).toThrow(ConfigurationError);
  expect(() => apiUrl('https://me:hunter2@ghe.example')).not.toThrow(/hunter2/);
});

test('a domain becomes an address, and an address stays one', () => {
  expect(urlOfDomain('github.com')).toBe('https://github.com');
  expect(urlOfDomain('https://ghe.example')).toBe('https://ghe.example');
});
