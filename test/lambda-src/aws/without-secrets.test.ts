import { generateKeyPairSync } from 'node:crypto';
import { withoutSecrets } from '../../../lambda-src/aws/without-secrets';
import { TransientError } from '../../../lambda-src/shared/errors';

const PEM = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString().trim();
const JWT = `${Buffer.from('{"alg":"RS256","typ":"JWT"}').toString('base64url')}.${Buffer.from('{"iss":1}').toString('base64url')}.c2lnbmF0dXJl`;

test.each([
  ['a PEM', PEM],
  ['a PEM in one line', PEM.replace(/\n/g, '\\n')],
  ['a PEM that was cut', PEM.slice(0, 400)],
  ['a PEM in base64', Buffer.from(PEM).toString('base64')],
  ['a JWT', JWT],
  ['an installation token', 'ghs_16C7e42F292c6912E7710c838347Ae178B4a'],
  ['a long installation token', `ghs_12345_${JWT}`],
  ['a classic token', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
  ['a fine-grained token', 'github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz'],
  ['a header', 'Bearer 0123456789abcdef'],
  ['a header of old', 'token 0123456789abcdef'],
])('%s is removed from any text, and the rest of the text stays', (_, secret) => {
  const error = new TransientError(`GitHub said: ${secret}`);

  expect(withoutSecrets({ answer: `before ${secret}`, list: [{ deep: secret }], error })).toEqual({
    answer: 'before [removed]',
    list: [{ deep: '[removed]' }],
    error: 'TransientError: GitHub said: [removed]',
  });
});

test.each(['%20', '%3D', '\\u0022', '\\n'])('a token and a JWT are removed also behind the escape %s, where no word begins', (escape) => {
  const long = `ghs_12345_${JWT}`;
  for (const secret of [`ghp_${'a1b2'.repeat(9)}`, `github_pat_${'A1b2'.repeat(20)}`, long, JWT]) {
    expect(withoutSecrets(`bearer${escape}${secret}`)).toBe(`bearer${escape}[removed]`);
  }
});

test.each(['authorization', 'Authorization', 'x-hub-signature-256', 'set-cookie', 'password', 'privateKey', 'private_key', 'accessToken', 'token', 'clientSecret', 'SecretString', 'pem', 'jwt'])(
  'whatever stands under the name %s is removed', (name) => {
    expect(withoutSecrets({ [name]: 'plain', other: { [name]: ['plain'] } })).toEqual({ [name]: '[removed]', other: { [name]: '[removed]' } });
  },
);

test('the cause of an error, where requests and their headers are kept, is left out', () => {
  const request = { headers: { authorization: 'plain' } };
  const error = Object.assign(new Error('no answer', { cause: request }), { request });

  expect(withoutSecrets({ error })).toEqual({ error: 'Error: no answer' });
});

test('what is no secret stays as it is', () => {
  const fields = {
    runner: { id: 7, name: 'p_i-0123456789abcdef0', labels: ['self-hosted', 'x64'] },
    tokens: 3,
    secret: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:app-a1b2c3',
    groups: ['night_shift', 'laughs_at_nothing', 'keyJson.parse'],
    reason: 'the token endpoint answered 503, no token is left for the secret of this App',
    region: 'eu-west-1',
    missing: undefined,
    none: null,
    dryRun: true,
  };

  expect(withoutSecrets(fields)).toEqual(fields);
});

test('maps, sets and dates are shown, and an object that contains itself has an end', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;

  expect(withoutSecrets({ map: new Map([['a', 1]]), set: new Set(['ghp_0123456789']), at: new Date(0) })).toEqual({
    map: [['a', 1]], set: ['[removed]'], at: '1970-01-01T00:00:00.000Z',
  });
  expect(JSON.stringify(withoutSecrets(circle))).toContain('[too deep]');
});
