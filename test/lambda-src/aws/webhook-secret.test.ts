import { parseWebhookSecret, webhookSecret } from '../../../lambda-src/aws/webhook-secret';
import { ConfigurationError } from '../../../lambda-src/shared/errors';

test.each([
  ['plain text', 's3cret', 's3cret'],
  ['a line of a file', 's3cret\n', 's3cret'],
  ['the secret of cdk-github-runners', '{"webhookSecret":"s3cret"}', 's3cret'],
])('%s is read', (_, text, secret) => {
  expect(parseWebhookSecret(text)).toBe(secret);
});

test.each(['', '  \n', '{"webhookSecret":""}', '{"webhookSecret":5}', '{"other":"s3cret"}', '{s3cret'])('%j is refused without repeating it', (text) => {
  const refused = () => parseWebhookSecret(text);
  expect(refused).toThrow(ConfigurationError);
  expect(refused).not.toThrow(/s3cret/);
});

function kept() {
  let now = 0;
  const values = ['first', 'second', 'third', 'fourth'];
  let reads = 0;
  const secret = webhookSecret(async () => values[reads++]!, () => now);
  return { secret, reads: () => reads, pass: (seconds: number) => void (now += seconds * 1000) };
}

test('the secret is read once in five minutes', async () => {
  const { secret, reads, pass } = kept();
  await secret(false);
  pass(299);
  expect(await secret(false)).toBe('first');
  pass(2);
  expect(await secret(false)).toBe('second');
  expect(reads()).toBe(2);
});

test('it is read again after the clock was set back', async () => {
  const { secret, pass } = kept();
  await secret(false);
  pass(-86_400);
  expect(await secret(false)).toBe('second');
});

test('it is renewed on demand, but not more often than once a minute, whatever strangers send', async () => {
  const { secret, reads, pass } = kept();
  await secret(false);
  pass(10);
  for (let request = 0; request < 100; request++) await secret(true);
  expect(reads()).toBe(1);
  pass(51);
  expect(await secret(true)).toBe('second');
});
