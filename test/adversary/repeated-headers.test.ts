import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import type { Context } from 'aws-lambda';
import { FakeGitHub } from '../support/fake-github/fake-github';

/** A proxy between the first look and GitHub that repeats the headers of a request which it refuses. */

const SECRET = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:app-abcdef';
const context = { getRemainingTimeInMillis: () => 300_000, awsRequestId: 'id', functionName: 'discovery' } as Context;
const environment = { ...process.env };
let github: FakeGitHub;
let secrets: Server;
let secret: string;
let written: string;

beforeEach(async () => {
  github = await FakeGitHub.start();
  github.addOrganization('acme');
  secrets = createServer({ keepAliveTimeout: 0 }, (request, response) => void (async () => {
    await text(request);
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ ARN: SECRET, SecretString: secret }));
  })());
  await new Promise<void>((resolve) => secrets.listen(0, '127.0.0.1', resolve));
  process.env = {
    ...environment,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${(secrets.address() as AddressInfo).port}`,
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_METRICS_DISABLED: 'false',
    POWERTOOLS_SERVICE_NAME: 'Fleet/Janitor',
    POWERTOOLS_METRICS_NAMESPACE: 'Tests',
    APP_SECRET: SECRET,
    GITHUB_URL: github.url,
    GITHUB_SCOPE: '{"kind":"organization","owner":"acme"}',
    COMPUTE_PROVIDER: '{"kind":"ec2","runnerNamePrefixes":["p_"],"regions":["us-east-1"]}',
    EVIDENCE: 'absent',
    DRY_RUN: 'false',
    CANDIDATES_PER_RUN: '100',
    QUOTA_RESERVE: '0.2',
    SCHEDULE: 'rate(30 minutes)',
    CONFIRMATION_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/queue.fifo',
  };
  written = '';
  for (const method of ['log', 'info', 'warn', 'error'] as const) {
    jest.spyOn(console, method).mockImplementation((...line) => {
      written += `${line.join(' ')}\n`;
    });
  }
});

afterEach(async () => {
  jest.restoreAllMocks();
  process.env = environment;
  secrets.closeAllConnections();
  secrets.close();
  await github.stop();
});

function useApp(): void {
  secret = JSON.stringify(github.addApp({ appId: 1 }));
  github.install(1, { owner: 'acme' });
  process.env.GITHUB_CREDENTIALS = '{"kind":"apps","secrets":["APP_SECRET"]}';
}

function useToken(token: string): void {
  secret = token;
  github.addToken(token);
  process.env.GITHUB_CREDENTIALS = '{"kind":"token","secret":"APP_SECRET"}';
}

const CREDENTIALS: [string, () => void, RegExp][] = [
  ['the JWT of an App', useApp, /installation/],
  ['the token of an installation', useApp, /runner-groups/],
  ['a token that looks like one', () => useToken(`ghp_${'a1b2'.repeat(9)}`), /runner-groups/],
  ['a token of an old server, which looks like nothing', () => useToken('a1b2c3d4e5'.repeat(4)), /runner-groups/],
];

const REPETITIONS: [string, (authorization: string) => string][] = [
  ['as they are', (authorization) => `authorization: ${authorization}`],
  ['without their names', (authorization) => authorization.replace(/^bearer /, '')],
  ['escaped', (authorization) => encodeURIComponent(`authorization: ${authorization}`)],
  ['far behind, where our log line ends', (authorization) => `${'x'.repeat(150)} ${authorization}`],
];

describe.each(CREDENTIALS)('%s is neither logged nor thrown', (_, use, refused) => {
  test.each(REPETITIONS)('when its request is refused and the headers repeated %s', async (__, repeated) => {
    use();
    const sent = new Set<string>();
    const real = globalThis.fetch;
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      if (!refused.test(String(input))) return real(input, init);
      const authorization = new Headers(init?.headers).get('authorization')!;
      sent.add(authorization.replace(/^bearer /, ''));
      const body = JSON.stringify({ message: `blocked by policy; ${repeated(authorization)}` });
      return new Response(body, { status: 403, headers: { 'content-type': 'application/json' } });
    });
    let handler!: (event: unknown, context: Context) => Promise<void>;
    await jest.isolateModulesAsync(async () => {
      ({ handler } = await import('../../lambda-src/discovery.lambda'));
    });
    const thrown: unknown = await handler({}, context).then(() => undefined, (error: unknown) => error);

    expect(sent.size).toBeGreaterThan(0);
    const shown = `${written}\n${inspect(thrown, { showHidden: true, depth: null })}`;
    expect(shown.match(/blocked by policy/g)!.length).toBeGreaterThan(1);
    // also not the beginning of it
    for (const credential of sent) expect(shown).not.toContain(credential.slice(0, 20));
  });
});
