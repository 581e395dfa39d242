import type { Principal } from './call-recorder';
import type { UseKey } from './key-use';

/** One signed request, its signature's scope read and its caller known. */
export interface AwsRequest {
  readonly principal: Principal;
  readonly service: string;
  /** of the signature: the place that is really asked */
  readonly region: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AwsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a request does, in IAM's words. */
export interface AwsAction {
  /** without the service: `DescribeInstances` */
  readonly name: string;
  readonly resources: readonly string[];
}

/** A fake of one AWS service behind the gateway, which authenticates, authorises and records for all of them. */
export interface AwsService {
  /** the service's name in a signature, which is also IAM's prefix */
  readonly name: string;
  action(request: AwsRequest): AwsAction;
  answer(request: AwsRequest, action: AwsAction, useKey: UseKey): Promise<AwsAnswer> | AwsAnswer;
  /** an error in this service's own protocol */
  error(code: string, message: string, status: number): AwsAnswer;
}

/** An error of the JSON protocols. */
export function jsonError(code: string, message: string, status: number): AwsAnswer {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify({ __type: code, message }) };
}

export function jsonAnswer(body: unknown, version = '1.1'): AwsAnswer {
  return { status: 200, headers: { 'content-type': `application/x-amz-json-${version}` }, body: JSON.stringify(body) };
}

/** `X-Amz-Target: <service>.<action>` of the JSON protocols. */
export function jsonTarget(request: AwsRequest): string {
  return (request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
}

export function xmlAnswer(body: string, status = 200): AwsAnswer {
  return { status, headers: { 'content-type': 'text/xml;charset=UTF-8' }, body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}` };
}

export function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
