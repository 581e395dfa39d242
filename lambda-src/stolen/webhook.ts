import type { Log, ReportQueue } from './ports';
import { isSigned } from './signature';
import { parseWebhookBody } from './webhook-body';
import type { DetectorCounts } from '../../src/contract/detector-metrics';
import { describeError, MalformedInputError } from '../shared/errors';

/** As a function URL or an API gateway hands it over. */
export interface WebhookRequest {
  /** gateways disagree on the case of names */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

export interface WebhookPorts {
  /** `renew`: what was read before did not fit, so read it again */
  readonly secret: (renew: boolean) => Promise<string>;
  readonly queue: Pick<ReportQueue, 'send'>;
  readonly log: Log;
  readonly count: (counts: DetectorCounts) => void;
}

export interface WebhookResponse {
  readonly statusCode: number;
  readonly body: string;
}

/** Checks the signature over the raw bytes, then puts what an `in_progress` webhook says on the report queue. It records nothing. */
export async function handleWebhook(request: WebhookRequest, ports: WebhookPorts): Promise<WebhookResponse> {
  const body = Buffer.from(request.body ?? '', request.isBase64Encoded ? 'base64' : 'utf8');
  if (!await isFromGitHub(body, header(request, 'x-hub-signature-256'), ports)) {
    ports.count({ badSignatures: 1 });
    // why is nobody's business who does not hold the secret
    return { statusCode: 401, body: 'unauthorized' };
  }
  const event = header(request, 'x-github-event');
  if (event !== 'workflow_job') return { statusCode: 200, body: `nothing to do for ${event === 'ping' ? 'a ping' : 'this event'}` };
  try {
    const report = parseWebhookBody(textOf(body, header(request, 'content-type')));
    if (!report) return { statusCode: 200, body: 'nothing to do for this job' };
    const [unsent] = await ports.queue.send([report]);
    if (!unsent) return { statusCode: 202, body: 'reported' };
    ports.count({ sendsFailed: 1 });
    return { statusCode: 500, body: 'the report could not be queued' };
  } catch (error) {
    if (!(error instanceof MalformedInputError)) throw error;
    ports.log.warn('a signed webhook cannot be read', { error: describeError(error) });
    ports.count({ malformed: 1 });
    return { statusCode: 400, body: error.message };
  }
}

async function isFromGitHub(body: Buffer, signature: string | undefined, { secret }: WebhookPorts): Promise<boolean> {
  // whoever sends no signature does not make us read secrets
  if (signature === undefined) return false;
  return isSigned(body, signature, await secret(false)) || isSigned(body, signature, await secret(true));
}

/** GitHub offers two content types; the form has the same JSON in one field. */
function textOf(body: Buffer, contentType: string | undefined): string {
  const text = body.toString('utf8');
  return contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') ? new URLSearchParams(text).get('payload') ?? '' : text;
}

function header({ headers = {} }: WebhookRequest, name: string): string | undefined {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
