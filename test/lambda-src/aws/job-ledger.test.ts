import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDbServer } from './dynamodb-server';
import { JobLedger } from '../../../lambda-src/aws/job-ledger';
import { Deadline } from '../../../lambda-src/shared/deadline';
import { DeadlineError, TransientError } from '../../../lambda-src/shared/errors';
import { keepsTheLedgerContract } from '../stolen/ledger-contract';

const NOW = Date.parse('2026-05-01T10:10:00Z');
const SECONDS = NOW / 1000;

let server: DynamoDbServer;
let client: DynamoDBClient;
let table: string;
let now: number;

beforeAll(async () => {
  server = await DynamoDbServer.start();
  client = server.client();
});

afterAll(() => server.stop());

beforeEach(async () => {
  table = await server.table(client);
  now = NOW;
});

function ledger(changes: { client?: DynamoDBClient; deadline?: Deadline; table?: string } = {}): JobLedger {
  return new JobLedger({ client, table, ttlSeconds: 100, deadline: Deadline.after(60_000), now: () => now, ...changes });
}

describe('the ledger on DynamoDB', () => {
  keepsTheLedgerContract(() => ({ ledger: ledger(), passHours: (hours) => void (now += hours * 3_600_000) }));
});

test('rows look as the contract documents them, so that others can write them', async () => {
  await ledger().recordRunner({ jobId: 7, runnerName: 'R1', labels: ['a'] });

  const { Item } = await client.send(new GetItemCommand({ TableName: table, Key: { pk: { S: 'job#7' } } }));
  expect(Item).toEqual({ pk: { S: 'job#7' }, runners: { SS: ['R1'] }, labels: { SS: ['a'] }, ttl: { N: String(SECONDS + 100) } });
});

test('a job that somebody else wrote in that form is read', async () => {
  await client.send(new PutItemCommand({ TableName: table, Item: { pk: { S: 'job#7' }, runners: { SS: ['R1'] }, ttl: { N: String(SECONDS + 5) } } }));

  expect(await ledger().job(7)).toEqual({ id: 7, runners: ['R1'], labels: undefined });
});

test('a row whose time is over is not there, although DynamoDB keeps it for days', async () => {
  await ledger().recordRunner({ jobId: 7, runnerName: 'R1', labels: undefined });
  await ledger().recordPickUp({ runnerName: 'R1', jobId: 7, repository: 'acme/app', runId: 1 });
  now += 101_000;

  expect(await ledger().job(7)).toBeUndefined();
  expect(await ledger().pickUp('R1')).toBeUndefined();
});

test('a pick-up whose time is over makes room for a new one, announcement and all', async () => {
  await ledger().recordPickUp({ runnerName: 'R1', jobId: 7, repository: 'acme/app', runId: 1 });
  await ledger().announce('R1');
  now += 101_000 + 100_000;
  const later = { runnerName: 'R1', jobId: undefined, repository: 'other/tools', runId: 2 };
  await ledger().recordPickUp(later);

  expect(await ledger().pickUp('R1')).toEqual({ ...later, isConcluded: false });
  expect(await ledger().announce('R1')).toBe(true);
});

test('a job that is recorded again lives longer', async () => {
  await ledger().recordRunner({ jobId: 7, runnerName: 'R1', labels: undefined });
  now += 90_000;
  await ledger().recordRunner({ jobId: 7, runnerName: 'R1-r1', labels: undefined });
  now += 90_000;

  expect((await ledger().job(7))!.runners).toHaveLength(2);
});

test('a table that does not answer as it should is a transient failure of every call, never an empty answer', async () => {
  const broken = ledger({ table: 'missing' });
  const calls = [
    broken.job(1),
    broken.pickUp('R1'),
    broken.recordRunner({ jobId: 1, runnerName: 'R1', labels: undefined }),
    broken.recordPickUp({ runnerName: 'R1', jobId: 1, repository: undefined, runId: undefined }),
    broken.claimReplacement('R1', 5),
    broken.announce('R1'),
  ];

  for (const call of await Promise.allSettled(calls)) expect(call).toMatchObject({ status: 'rejected', reason: expect.any(TransientError) });
});

test('an answer that has lost its body is no missing row', async () => {
  const silent = createServer((_, response) => void response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const toSilence = new DynamoDBClient({ region: 'us-east-1', endpoint, credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' } });

  await expect(ledger({ client: toSilence }).job(1)).rejects.toThrow(TransientError);

  toSilence.destroy();
  silent.closeAllConnections();
  silent.close();
});

test('nothing is asked when no time is left', async () => {
  await expect(ledger({ deadline: Deadline.after(5000) }).job(1)).rejects.toThrow(DeadlineError);
});
