import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

/** fauxqs is an ES module, which jest cannot load: it runs in a process of its own and says where. */
const PROGRAM = 'import("fauxqs").then(({ startFauxqs }) => startFauxqs({ port: 0, logger: false })).then((server) => console.log(server.address))';

/** Answers in place of SQS; without an answer, the request hangs. */
export type SqsFault = (response: ServerResponse, body: string) => void;

/** SQS (fauxqs) behind a door that can break single requests. */
export class SqsServer {
  static async start(): Promise<SqsServer> {
    const process_ = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const address of createInterface({ input: process_.stdout })) {
      const server = new SqsServer(process_, address);
      await new Promise<void>((resolve) => server.door.listen(0, '127.0.0.1', resolve));
      return server;
    }
    throw new Error(`fauxqs ended with ${process_.exitCode}`);
  }

  /** target and body of each request */
  readonly requests: { readonly action: string; readonly body: Record<string, unknown> }[] = [];
  private readonly faults: SqsFault[] = [];
  private readonly door: Server;

  private constructor(private readonly sqs: ChildProcess, private readonly address: string) {
    this.door = createServer({ keepAliveTimeout: 0 }, (request, response) => void (async () => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      this.requests.push({ action: String(request.headers['x-amz-target']).replace('AmazonSQS.', ''), body: JSON.parse(body) });
      const fault = this.faults.shift();
      if (fault) return fault(response, body);
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers as Record<string, string>;
      // fauxqs puts its queues on a host of its own, and the SDK would go there past this door
      const queueHost = `http://sqs.${/\/([^/]+)\/sqs\//.exec(headers.authorization ?? '')?.[1]}.localhost:${new URL(this.address).port}`;
      const answer = await fetch(this.address, { method: 'POST', headers, body: body.replace(`"${this.url}/`, `"${queueHost}/`) });
      const text = (await answer.text()).replace(`"${queueHost}/`, `"${this.url}/`);
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
    })());
  }

  get url(): string {
    return `http://127.0.0.1:${(this.door.address() as AddressInfo).port}`;
  }

  /** The next requests are answered by these, one each. */
  failNext(...faults: SqsFault[]): void {
    this.faults.push(...faults);
  }

  reset(): void {
    this.requests.length = 0;
    this.faults.length = 0;
  }

  async stop(): Promise<void> {
    this.sqs.kill();
    this.door.closeAllConnections();
    await new Promise((resolve) => this.door.close(resolve));
  }
}
