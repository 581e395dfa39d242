import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createCertificate } from './certificate';

/**
 * The only way out of a handler's process: a CONNECT proxy on loopback that serves the given host names itself, over TLS with a
 * certificate of its own, and refuses and notes every other host. So the handlers talk to the address that stands in the template,
 * and a token that is sent anywhere else is seen.
 */
export class GitHubProxy {
  static async start(hosts: readonly string[], handler: RequestListener): Promise<GitHubProxy> {
    const { key, certificate } = createCertificate(hosts);
    const proxy = new GitHubProxy(hosts, certificate, createTlsServer({ key, cert: certificate }, (request, response) => {
      request.headers['x-forwarded-proto'] = 'https';
      handler(request, response);
    }));
    await new Promise<void>((resolve) => proxy.entrance.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** hosts that somebody tried to reach and that are not GitHub, `host:port` */
  readonly refused: string[] = [];
  private readonly entrance: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly hosts: readonly string[], readonly certificate: string, private readonly github: TlsServer) {
    this.entrance = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      this.refused.push(request.headers.host ?? String(request.url));
      response.writeHead(403).end();
    });
    this.entrance.on('connect', (request: IncomingMessage, socket: Socket) => this.connect(String(request.url), socket));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.entrance.address() as AddressInfo).port}`;
  }

  /** What a process needs so that `fetch` goes through this proxy and trusts it. */
  environment(certificateFile: string): Record<string, string> {
    return { HTTPS_PROXY: this.url, NODE_USE_ENV_PROXY: '1', NO_PROXY: '127.0.0.1,localhost', NODE_EXTRA_CA_CERTS: certificateFile };
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.entrance.close(resolve));
  }

  private connect(authority: string, socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    // a handler that is killed resets its connections: that is its end, not ours
    socket.on('error', () => socket.destroy());
    if (!this.hosts.some((host) => authority === `${host}:443`)) {
      this.refused.push(authority);
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    this.github.emit('connection', socket);
  }
}
