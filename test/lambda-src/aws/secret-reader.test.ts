import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { secretReader } from '../../../lambda-src/aws/secret-reader';

interface Asked {
  readonly target: string;
  readonly body: unknown;
}

const asked: Asked[] = [];
let answer: { status: number; body: string } | 'hang';
let server: Server;
const environment = { ...process.env };

beforeAll(async () => {
  server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
    let text = '';
    req.on('data', (chunk) => text += chunk).on('end', () => {
      asked.push({ target: String(req.headers['x-amz-target']), body: JSON.parse(text) });
      if (answer !== 'hang') res.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  Object.assign(process.env, {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
});

afterAll(async () => {
  process.env = environment;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  asked.length = 0;
});

const read = {
  secret: (signal = AbortSignal.timeout(5000)) => secretReader().readSecret('arn:aws:secretsmanager:eu-west-1:1:secret:x', signal),
  parameter: (signal = AbortSignal.timeout(5000)) => secretReader().readParameter('/x', signal),
};

test('a secret is its text', async () => {
  answer = { status: 200, body: JSON.stringify({ SecretString: 'text' }) };
  expect(await read.secret()).toBe('text');
  expect(asked).toEqual([{ target: 'secretsmanager.GetSecretValue', body: { SecretId: 'arn:aws:secretsmanager:eu-west-1:1:secret:x' } }]);
});

test('a parameter is its decrypted text', async () => {
  answer = { status: 200, body: JSON.stringify({ Parameter: { Value: 'text' } }) };
  expect(await read.parameter()).toBe('text');
  expect(asked).toEqual([{ target: 'AmazonSSM.GetParameter', body: { Name: '/x', WithDecryption: true } }]);
});

describe.each(Object.entries(read))('a %s', (_, reading) => {
  test('without text is an error', async () => {
    answer = { status: 200, body: '{}' };
    await expect(reading()).rejects.toThrow('it holds no text');
  });

  test('that may not be read is an error', async () => {
    answer = { status: 400, body: JSON.stringify({ __type: 'AccessDeniedException', message: 'not allowed' }) };
    await expect(reading()).rejects.toThrow('not allowed');
    expect(asked).toHaveLength(1);
  });

  test('is given up when the time is over, also between the attempts of the SDK', async () => {
    answer = 'hang';
    const started = Date.now();
    await expect(reading(AbortSignal.timeout(100))).rejects.toThrow();
    answer = { status: 500, body: '{}' };
    await expect(reading(AbortSignal.timeout(20))).rejects.toThrow();
    expect(Date.now() - started).toBeLessThan(3000);
  });
});
