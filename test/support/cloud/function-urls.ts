import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { mayInvoke } from './invocation-permission';
import type { LocalFunction } from './local-function';
import type { Template } from './template';

interface Deployed {
  readonly template: Template;
  readonly functionOf: (arn: string) => LocalFunction | undefined;
}

/** Function URLs: each is an address on loopback that anybody may call, if the template says so. */
export class FunctionUrls {
  static async start(): Promise<FunctionUrls> {
    const urls = new FunctionUrls();
    urls.server.listen(0, '127.0.0.1');
    await once(urls.server, 'listening');
    return urls;
  }

  /** errors of this server itself, or of functions that answered with something that is no answer */
  readonly failures: unknown[] = [];
  private deployed: Deployed | undefined;
  private readonly server: Server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    this.serve(request, response).catch((error: unknown) => {
      this.failures.push(error);
      response.destroy();
    });
  });

  private constructor() {}

  deploy(deployed: Deployed): void {
    this.deployed = deployed;
  }

  /** The address of a function that has one. */
  of({ declared: { arn, logicalId } }: LocalFunction): string {
    const url = this.deployed?.template.ofType('AWS::Lambda::Url').find(({ properties }) => properties.TargetFunctionArn === arn);
    if (!url) throw new Error(`function '${logicalId}' has no URL`);
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${url.logicalId}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { template, functionOf } = this.deployed!;
    const url = template.ofType('AWS::Lambda::Url').find(({ logicalId }) => `/${logicalId}` === incoming.url);
    const target = url && functionOf(String(url.properties.TargetFunctionArn));
    const body = await buffer(incoming);
    if (!target || url.properties.AuthType !== 'NONE' || !isOpen(template, target)) {
      response.writeHead(403, { 'content-type': 'application/json' }).end('{"Message":"Forbidden"}');
      return;
    }
    const result = await target.invoke(payload(incoming, body));
    if (result.kind !== 'returned') {
      response.writeHead(502).end('Internal Server Error');
      return;
    }
    const { statusCode, headers = {}, body: answer = '' } = result.value as { statusCode: number; headers?: Record<string, string>; body?: string };
    response.writeHead(statusCode, headers).end(answer);
  }
}

/** https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html: since October 2025 both permissions are needed. */
function isOpen(template: Template, { declared: { arn: functionArn } }: LocalFunction): boolean {
  return (['lambda:InvokeFunctionUrl', 'lambda:InvokeFunction'] as const).every((action) => mayInvoke(template, { principal: '*', functionArn, action }));
}

/** Payload format 2.0. */
function payload(incoming: IncomingMessage, body: Buffer): object {
  return {
    version: '2.0',
    rawPath: '/',
    rawQueryString: '',
    headers: incoming.headers,
    requestContext: { http: { method: incoming.method, path: '/', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1' } },
    body: body.toString('base64'),
    isBase64Encoded: true,
  };
}
