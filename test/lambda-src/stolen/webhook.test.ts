import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { FUZZ_RUNS, FUZZ_TIMEOUT_MS } from './fuzz-runs';
import { MalformedInputError } from '../../../lambda-src/shared/errors';
import { parseReport } from '../../../lambda-src/stolen/report';
import { isSigned } from '../../../lambda-src/stolen/signature';
import { handleWebhook } from '../../../lambda-src/stolen/webhook';
import type { WebhookRequest } from '../../../lambda-src/stolen/webhook';
import { parseWebhookBody } from '../../../lambda-src/stolen/webhook-body';
import type { DetectorCounts } from '../../../src/contract/detector-metrics';
import type { ReportMessage } from '../../../src/contract/report-message';
import { recordedLog } from '../compute/recorded-log';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const SECRET = 'a secret';
const JOB = {
  id: 700, run_id: 70, status: 'in_progress', runner_id: 3, runner_name: 'R1', runner_group_id: 1, started_at: '2026-05-01T10:00:00Z', labels: ['self-hosted'],
};
const PAYLOAD = { action: 'in_progress', workflow_job: JOB, repository: { full_name: 'acme/app', private: true } };
const REPORT = {
  version: 1, source: 'signed', runnerName: 'R1', repository: 'acme/app', jobId: 700, runId: 70, startedAt: '2026-05-01T10:00:00.000Z', labels: ['self-hosted'],
};

const signature = (body: string | Buffer, secret = SECRET) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

function webhook(payload: unknown, changes: Partial<WebhookRequest> = {}, headers: Record<string, string> = {}): WebhookRequest {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return { body, headers: { 'X-Hub-Signature-256': signature(body), 'X-GitHub-Event': 'workflow_job', 'Content-Type': 'application/json', ...headers }, ...changes };
}

async function handled(request: WebhookRequest, { secrets = [SECRET], refuse = false } = {}) {
  const sent: ReportMessage[] = [];
  const counts: DetectorCounts[] = [];
  const renewals: boolean[] = [];
  const response = await handleWebhook(request, {
    secret: async (renew) => {
      renewals.push(renew);
      return secrets[renew ? secrets.length - 1 : 0]!;
    },
    queue: {
      send: async (reports) => {
        if (refuse) return reports;
        sent.push(...reports);
        return [];
      },
    },
    log: recordedLog(),
    count: (count) => void counts.push(count),
  });
  return { ...response, sent, counts, renewals };
}

test('a job in progress is reported with its id, run, start and labels', async () => {
  expect(await handled(webhook(PAYLOAD))).toMatchObject({ statusCode: 202, sent: [REPORT], counts: [], renewals: [false] });
});

test('a body in base64 and headers of another case are the same webhook', async () => {
  const body = JSON.stringify(PAYLOAD);
  const request = { body: Buffer.from(body).toString('base64'), isBase64Encoded: true, headers: { 'x-hub-signature-256': signature(body), 'x-github-event': 'workflow_job' } };

  expect(await handled(request)).toMatchObject({ statusCode: 202, sent: [REPORT] });
});

test('the form that GitHub offers as another content type is the same webhook', async () => {
  const body = new URLSearchParams({ payload: JSON.stringify(PAYLOAD) }).toString();

  expect(await handled(webhook(body, {}, { 'Content-Type': 'application/x-www-form-urlencoded' }))).toMatchObject({ statusCode: 202, sent: [REPORT] });
});

test('the signature is over the bytes, not over what they mean', async () => {
  const bytes = Buffer.concat([Buffer.from(JSON.stringify(PAYLOAD)), Buffer.from([0x20, 0xff])]);
  const headers = { 'x-hub-signature-256': signature(bytes), 'x-github-event': 'ping' };

  expect(await handled({ body: bytes.toString('base64'), isBase64Encoded: true, headers })).toMatchObject({ statusCode: 200 });
  expect(await handled({ body: bytes.toString('utf8'), headers })).toMatchObject({ statusCode: 401 });
});

test.each([
  ['no signature', webhook(PAYLOAD, { headers: { 'x-github-event': 'workflow_job' } })],
  ['another secret', webhook(PAYLOAD, {}, { 'X-Hub-Signature-256': signature(JSON.stringify(PAYLOAD), 'other') })],
  ['a short signature', webhook(PAYLOAD, {}, { 'X-Hub-Signature-256': 'sha256=' })],
  ['the older algorithm', webhook(PAYLOAD, {}, { 'X-Hub-Signature-256': signature(JSON.stringify(PAYLOAD)).replace('sha256', 'sha1') })],
  ['two signatures in one header', webhook(PAYLOAD, {}, { 'X-Hub-Signature-256': `${signature(JSON.stringify(PAYLOAD))},${signature(JSON.stringify(PAYLOAD))}` })],
  ['an empty body that nobody signed', webhook(PAYLOAD, { body: '' })],
  ['another body', webhook(PAYLOAD, { body: JSON.stringify({ ...PAYLOAD, action: 'queued' }) })],
  ['nothing at all', {}],
])('%s is answered with 401, without telling why, and counted', async (_, request) => {
  expect(await handled(request)).toMatchObject({ statusCode: 401, body: 'unauthorized', sent: [], counts: [{ badSignatures: 1 }] });
});

test('whoever sends no signature does not make us read the secret', async () => {
  expect((await handled({ body: 'x' })).renewals).toEqual([]);
});

test('a secret that was changed is read again once', async () => {
  expect(await handled(webhook(PAYLOAD), { secrets: ['the old one', SECRET] })).toMatchObject({ statusCode: 202, renewals: [false, true] });
});

test('an empty secret signs nothing', () => {
  expect(isSigned(Buffer.from('x'), signature('x', ''), '')).toBe(false);
});

test.each([
  ['queued', { ...PAYLOAD, action: 'queued' }],
  ['completed', { ...PAYLOAD, action: 'completed' }],
  ['waiting', { ...PAYLOAD, action: 'waiting' }],
  ['without a runner\'s name', { ...PAYLOAD, workflow_job: { ...JOB, runner_name: null } }],
  ['with runner 0', { ...PAYLOAD, workflow_job: { ...JOB, runner_id: 0, runner_name: '' } }],
  ['on a runner of GitHub\'s own', { ...PAYLOAD, workflow_job: { ...JOB, runner_name: 'GitHub Actions 12' } }],
])('a job that is %s needs nothing done', async (_, payload) => {
  expect(await handled(webhook(payload))).toMatchObject({ statusCode: 200, sent: [], counts: [] });
});

test.each(['ping', 'push'])('the event %s needs nothing done', async (event) => {
  expect(await handled(webhook({ zen: '...' }, {}, { 'X-GitHub-Event': event }))).toMatchObject({ statusCode: 200, sent: [] });
});

test.each([
  ['no JSON', '{'],
  ['no job', {}],
  ['no repository', { ...PAYLOAD, repository: null }],
  ['a path for a repository', { ...PAYLOAD, repository: { full_name: 'acme/..' } }],
  ['no job id', { ...PAYLOAD, workflow_job: { ...JOB, id: '700' } }],
])('a signed body with %s is refused with 400 and counted', async (_, payload) => {
  expect(await handled(webhook(payload))).toMatchObject({ statusCode: 400, sent: [], counts: [{ malformed: 1 }] });
});

test('a queue that takes nothing is answered with 500, so that the delivery shows as failed', async () => {
  expect(await handled(webhook(PAYLOAD), { refuse: true })).toMatchObject({ statusCode: 500, counts: [{ sendsFailed: 1 }] });
});

test('whatever is signed is a report the judge can read, nothing, or refused by name', () => {
  const field = fc.oneof(fc.jsonValue(), fc.constantFrom('R1', 5, 'acme/app', '2026-05-01T10:00:00Z', '275760-09-14'));
  const labels = fc.oneof(field, fc.array(fc.string()));
  const job = fc.record({ id: field, run_id: field, runner_name: field, started_at: field, labels }, { requiredKeys: [] });
  const payload = fc.record({
    action: fc.oneof(fc.constant('in_progress'), field),
    workflow_job: fc.oneof(job, field),
    repository: fc.oneof(fc.record({ full_name: field }), field),
  });
  const body = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), payload.map((value) => JSON.stringify(value)));
  fc.assert(fc.property(body, (text) => {
    let report;
    try {
      report = parseWebhookBody(text);
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedInputError);
      return;
    }
    if (report) expect(parseReport(JSON.stringify(report))).toEqual(report);
  }), { numRuns: FUZZ_RUNS });
});
