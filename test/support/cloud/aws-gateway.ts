import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AwsFaults, writeFaulty, type FaultEffect, type FaultHandle, type FaultMatch } from './aws-faults';
import type { AwsAction, AwsAnswer, AwsRequest, AwsService } from './aws-service';
import { CallRecorder, type Principal } from './call-recorder';
import { AccessDeniedError, keyContext, type UseKey } from './key-use';
import { isAllowed } from './permissions';

/**
 * Every AWS call of every function arrives here, over HTTP on loopback. The caller is known by its access key; the call is recorded,
 * checked against the policies that the template gives the caller's role, and only then handed to the fake of its service. Where that
 * service would use a customer managed key for the caller, this is a call of the caller's as well.
 */
export class AwsGateway {
  /** @param now the clock of the answers, from which clients notice that their own is wrong */
  static async start(now: () => number = Date.now): Promise<AwsGateway> {
    const gateway = new AwsGateway(now);
    await new Promise<void>((resolve) => gateway.server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  readonly recorder = new CallRecorder();
  readonly principals = new Map<string, Principal>();
  private readonly services = new Map<string, AwsService>();
  private readonly faults = new AwsFaults();
  private readonly server: Server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    this.serve(request, response).catch((error: unknown) => {
      // a fault of the fake must not look like a fault of AWS
      this.failures.push(error);
      response.destroy();
    });
  });

  /** errors inside the fakes; a test that finds any here has proved nothing */
  readonly failures: unknown[] = [];

  private constructor(private readonly now: () => number) {}

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  serveAs(...services: AwsService[]): void {
    for (const service of services) this.services.set(service.name, service);
  }

  fault(match: FaultMatch, effect: FaultEffect): FaultHandle {
    return this.faults.add(match, effect);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    // the SDK takes a difference for the cause of any refusal and repeats the call, which would hide faults
    response.setHeader('date', new Date(this.now()).toUTCString());
    const body = await text(incoming);
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const [, accessKey, region, name] = /Credential=([^/]+)\/\d+\/([^/]+)\/([^/]+)\/aws4_request/.exec(headers.authorization ?? '') ?? [];
    const service = this.services.get(name ?? '');
    if (!service) throw new Error(`the local cloud has no service '${name}': ${incoming.method} ${incoming.url}`);
    const principal = this.principals.get(accessKey ?? '');
    if (!principal) return write(response, service.error('InvalidClientTokenId', 'The security token included in the request is invalid.', 403));
    const request: AwsRequest = { principal, service: service.name, region: region ?? '', headers, body };
    await this.handle(service, request, response);
  }

  private async handle(service: AwsService, request: AwsRequest, response: ServerResponse): Promise<void> {
    const { principal, region } = request;
    const action = service.action(request);
    const effect = this.faults.take({ service: service.name, action: action.name, region, principal: principal.name });
    if (typeof effect === 'function') effect({ service: service.name, action: action.name, region, principal: principal.name });
    if (typeof effect === 'object' && 'error' in effect) return write(response, service.error(effect.error, effect.message ?? effect.error, effect.status));
    if (typeof effect === 'object') return write(response, { headers: {}, ...effect });
    const answer = await this.answer(service, request, action);
    if (typeof effect === 'string') return writeFaulty(response, effect, answer);
    write(response, answer);
  }

  private async answer(service: AwsService, request: AwsRequest, action: AwsAction): Promise<AwsAnswer> {
    const useKey: UseKey = (actions, keyArn, encryptionContext) => {
      if (keyArn === undefined) return;
      const context = keyContext(service.name, request.region, encryptionContext);
      for (const each of actions) this.authorise(request, `kms:${each}`, [keyArn], context);
    };
    try {
      this.authorise(request, `${service.name}:${action.name}`, action.resources);
      return await service.answer(request, action, useKey);
    } catch (error) {
      if (error instanceof AccessDeniedError) return service.error('AccessDenied', error.message, 403);
      throw error;
    }
  }

  /**
   * @param more condition keys of this call
   * @throws AccessDeniedError
   */
  private authorise({ principal, region }: AwsRequest, action: string, resources: readonly string[], more: Record<string, string> = {}): void {
    const context = {
      'aws:RequestedRegion': region,
      'aws:PrincipalAccount': principal.account,
      'aws:SecureTransport': 'true',
      // all who call here and whose statements are known are the functions' own code
      'lambda:SourceFunctionArn': `arn:aws:lambda:${region}:${principal.account}:function:${principal.name}`,
      ...more,
    };
    const allowed = principal.statements === undefined || isAllowed(principal.statements, { action, resources, context });
    this.recorder.calls.push({ principal: principal.name, action, resources, region, context, allowed });
    if (!allowed) throw new AccessDeniedError(`${principal.name} is not authorized to perform: ${action} on resource: ${resources.join(', ')}`);
  }
}

async function text(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function write(response: ServerResponse, answer: AwsAnswer): void {
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
