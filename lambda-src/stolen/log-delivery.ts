import { gunzipSync } from 'node:zlib';
import { excerpt, isObject, jsonObject } from './identifiers';
import { parseLogLine } from './log-line';
import type { ReportMessage } from '../../src/contract/report-message';
import { MalformedInputError } from '../shared/errors';

/** Whoever prints can print what packs well. Read and parsed, a text takes five times its size of the 256 MB that the intake has. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;

/**
 * The reports in one delivery of CloudWatch Logs, at most one for each runner: only the first line can be the runner's own, because
 * whatever the job prints comes after it.
 *
 * @throws MalformedInputError when the event is no log delivery
 */
export function parseLogDelivery(event: unknown): readonly ReportMessage[] {
  const delivery = unpack(event);
  // sent to try the subscription out
  if (delivery.messageType === 'CONTROL_MESSAGE') return [];
  if (delivery.messageType !== 'DATA_MESSAGE') {
    throw new MalformedInputError(`'messageType' must be DATA_MESSAGE or CONTROL_MESSAGE, got ${excerpt(delivery.messageType)}`);
  }
  if (!Array.isArray(delivery.logEvents)) throw new MalformedInputError("'logEvents' must be an array");

  const first = new Map<string, ReportMessage>();
  for (const entry of delivery.logEvents as unknown[]) {
    if (!isObject(entry) || typeof entry.message !== 'string') continue;
    // some log drivers put several lines into one event
    for (const line of entry.message.split(/\r\n|\r|\n/)) {
      const report = parseLogLine(line);
      if (report && !first.has(report.runnerName)) first.set(report.runnerName, report);
    }
  }
  return [...first.values()];
}

function unpack(event: unknown): Record<string, unknown> {
  const data = isObject(event) && isObject(event.awslogs) ? event.awslogs.data : undefined;
  if (typeof data !== 'string') throw new MalformedInputError("'awslogs.data' must be a string");
  let text: string;
  try {
    text = gunzipSync(Buffer.from(data, 'base64'), { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8');
  } catch (cause) {
    throw new MalformedInputError("'awslogs.data' must be gzip in base64", { cause });
  }
  const delivery = jsonObject(text);
  if (!delivery) throw new MalformedInputError("'awslogs.data' must hold a JSON object");
  return delivery;
}
