import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Ec2Request {
  readonly region: string;
  readonly ids: readonly string[];
  readonly token: string | undefined;
}

/** Answers in place of the server; without an answer, the request hangs. */
export type Ec2Fault = (response: ServerResponse, request: Ec2Request) => void;

/** DescribeInstances over a real socket, with the limits that EC2 has: 200 values of a filter, pages, regions. */
export class Ec2Server {
  static async start(): Promise<Ec2Server> {
    const server = new Ec2Server();
    await new Promise<void>((resolve) => server.http.listen(0, '127.0.0.1', resolve));
    return server;
  }

  readonly requests: Ec2Request[] = [];
  /** instances in one answer, although the caller allows more */
  pageSize = 1000;
  private readonly regions = new Map<string, Map<string, string | undefined>>();
  private readonly faults: { matches: (request: Ec2Request) => boolean; times: number; fault: Ec2Fault }[] = [];
  private readonly http = createServer({ keepAliveTimeout: 0 }, (request, response) => void this.handle(request, response));

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  /** State names are EC2's; undefined is an instance without a state. */
  machine(region: string, id: string, state: string | undefined): void {
    this.regions.set(region, (this.regions.get(region) ?? new Map<string, string | undefined>()).set(id, state));
  }

  fail(fault: Ec2Fault, matches: (request: Ec2Request) => boolean = () => true, times = Infinity): void {
    this.faults.push({ matches, times, fault });
  }

  reset(): void {
    this.requests.length = 0;
    this.faults.length = 0;
    this.regions.clear();
    this.pageSize = 1000;
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const form = new URLSearchParams(body);
    const ids = [...form].filter(([name]) => name.startsWith('Filter.1.Value.')).map(([, value]) => value);
    // the region is nowhere in the request but in the scope of its signature
    const region = /Credential=[^/]+\/\d+\/([^/]+)\/ec2\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const asked: Ec2Request = { region, ids, token: form.get('NextToken') ?? undefined };
    this.requests.push(asked);
    const fault = this.faults.find((candidate) => candidate.times > 0 && candidate.matches(asked));
    if (fault) {
      fault.times -= 1;
      return fault.fault(response, asked);
    }
    if (form.get('Filter.1.Name') !== 'instance-id' || form.has('InstanceId.1')) return ec2Error(400, 'InvalidParameterValue')(response, asked);
    if (ids.length > 200) return ec2Error(400, 'FilterLimitExceeded')(response, asked);
    this.answer(response, asked, Math.min(this.pageSize, Number(form.get('MaxResults') ?? 1000)));
  }

  private answer(response: ServerResponse, { region, ids, token }: Ec2Request, pageSize: number): void {
    const machines = this.regions.get(region) ?? new Map<string, string | undefined>();
    const found = ids.filter((id) => machines.has(id));
    const start = Number(token ?? 0);
    const items = found.slice(start, start + pageSize).map((id) => instanceItem(id, machines.get(id)));
    const next = start + pageSize < found.length ? `<nextToken>${start + pageSize}</nextToken>` : '';
    xml(response, 200, `<reservationSet>${items.join('')}</reservationSet>${next}`);
  }
}

export function instanceItem(id: string, state: string | undefined): string {
  const shown = state === undefined ? '' : `<instanceState><code>0</code><name>${state}</name></instanceState>`;
  return `<item><reservationId>r-1</reservationId><instancesSet><item><instanceId>${id}</instanceId>${shown}</item></instancesSet></item>`;
}

export function xml(response: ServerResponse, status: number, content: string): void {
  response.writeHead(status, { 'content-type': 'text/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>
<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>1</requestId>${content}</DescribeInstancesResponse>`);
}

export function ec2Error(status: number, code: string): Ec2Fault {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/xml' });
    response.end(`<Response><Errors><Error><Code>${code}</Code><Message>${code} it is</Message></Error></Errors><RequestID>1</RequestID></Response>`);
  };
}
