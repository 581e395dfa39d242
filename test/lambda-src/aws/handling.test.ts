import { generateKeyPairSync } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Context } from 'aws-lambda';
import { handling } from '../../../lambda-src/aws/handling';
import { TransientError } from '../../../lambda-src/shared/errors';

const ROOM = join(__dirname, '../../../lambda-src');
const entries = readdirSync(ROOM).filter((file) => file.endsWith('.lambda.ts'));
const context = {} as Context;

const PEM = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString().trim();
const JWT = `${Buffer.from('{"alg":"RS256","typ":"JWT"}').toString('base64url')}.${Buffer.from('{"iss":1}').toString('base64url')}.c2lnbmF0dXJl`;
const SECRETS = [PEM, JWT, `ghs_12345_${JWT}`, `ghp_${'a1b2'.repeat(9)}`, `github_pat_${'A1b2'.repeat(20)}`];

const withFields = (error: Error, secret: string) => Object.assign(error, { request: { headers: { authorization: secret } } });

/** With everything that a logger may find in it. */
function faulty(secret: string): Error {
  return withFields(new TransientError(`the proxy said: ${secret}`, { cause: withFields(new Error(secret), secret) }), secret);
}

/** All that Lambda could get to log. */
async function thrownBy(call: () => Promise<unknown>): Promise<string> {
  const error = await call().then(() => undefined, (reason: unknown) => reason);
  return inspect([error, (error as Error).stack], { showHidden: true, depth: null });
}

test('there are entries, or what follows would pass on nothing', () => {
  expect(entries.length).toBeGreaterThan(4);
});

describe.each(entries)('%s', (entry) => {
  test('throws nothing secret, neither in message nor stack, cause or fields', async () => {
    const { handler } = await import(join(ROOM, entry)) as { handler: (event: unknown, context: Context) => Promise<unknown> };
    for (const secret of SECRETS) {
      const broken = new Proxy(context, {
        get: () => {
          throw faulty(secret);
        },
      });
      const thrown = await thrownBy(() => handler({}, broken));
      expect(thrown).toContain('TransientError: the proxy said: [removed]');
      // a key is shown line by line
      for (const line of secret.split('\n')) expect(thrown).not.toContain(line);
    }
  });
});

test('what is thrown keeps its name and shows where it comes from', async () => {
  const error = await handling(async () => {
    throw faulty('ghp_0123456789');
  })({}, context).then(() => undefined, (reason: unknown) => reason as Error);
  expect(error).toMatchObject({ name: 'TransientError', message: 'the proxy said: [removed]' });
  expect(error?.stack).toContain(__filename);
});

test.each(['ghp_0123456789', { token: 'ghp_0123456789' }, undefined])('what is thrown without being an error becomes one: %j', async (reason) => {
  const thrown = await thrownBy(() => handling(() => Promise.reject(reason))({}, context));
  expect(thrown).toContain('Error');
  expect(thrown).not.toContain('ghp_');
});

test('what a handler returns is returned', async () => {
  expect(await handling(async (event: number) => event + 1)(1, context)).toBe(2);
});
