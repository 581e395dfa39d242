import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InstallationOptions } from './caller';
import { Credentials } from './credentials';
import { Faults } from './faults';
import type { FaultEffect, FaultHandle, FaultMatch } from './faults';
import { serveRequest } from './github-listener';
import type { Job, JobOptions } from './job';
import { Quota } from './quota';
import type { QuotaAccount } from './quota-of';
import { installationQuota, userQuota } from './quota-of';
import type { RecordedRequest, RequestFilter } from './request-log';
import { matches } from './request-log';
import type { Settings } from './route';
import { Router } from './router';
import type { Runner, RunnerChanges, RunnerOptions } from './runner';
import { SecondaryLimits } from './secondary-limits';
import type { GroupOptions } from './world';
import { World } from './world';

const DEFAULT_LIMIT = 5000;

/**
 * GitHub's REST API for self-hosted runners, as a stateful server on loopback. It answers at `/` like api.github.com, and under
 * `/api/v3/` like a GitHub Enterprise Server. Its normal answers are checked against GitHub's own OpenAPI description.
 *
 * `owner` is an organisation or enterprise (`acme`), or a repository (`acme/tools`).
 */
export class FakeGitHub {
  /** @param options.now the clock for token lifetimes, quota windows and answer dates, in milliseconds */
  static async start(options: { readonly now?: () => number } = {}): Promise<FakeGitHub> {
    const github = new FakeGitHub(options.now ?? Date.now);
    github.server.listen(0, '127.0.0.1');
    await once(github.server, 'listening');
    return github;
  }

  /** every request, in the order of arrival */
  readonly requests: RecordedRequest[] = [];
  /** ids of the runners that were really deleted, in order */
  readonly deletions: number[] = [];
  readonly settings: Settings = { olderServer: false };
  /** for a server of one's own, with TLS for example */
  readonly handler: RequestListener;

  private readonly world = new World();
  private readonly credentials: Credentials;
  private readonly quota: Quota;
  private readonly secondary: SecondaryLimits;
  private readonly faults = new Faults<FakeGitHub>();
  private readonly router = new Router();
  private readonly server: Server;
  private broken: unknown;

  private constructor(private readonly now: () => number) {
    this.credentials = new Credentials(now);
    this.quota = new Quota(now);
    this.secondary = new SecondaryLimits(now);
    this.handler = (req, res) => void this.serve(req, res);
    // on a busy machine a client may pick up a connection in the moment in which it is closed for having been idle
    this.server = createServer({ keepAliveTimeout: 0 }, this.handler);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Hanging requests are cut off. Throws what went wrong inside the fake itself, if anything did. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
    this.credentials.dispose();
    if (this.broken) throw this.broken;
  }

  // ---- credentials

  addApp(options: { readonly appId: number; readonly limit?: number; readonly suspended?: boolean }): { appId: number; privateKey: string } {
    const privateKey = this.credentials.addApp(options.appId, options.limit ?? DEFAULT_LIMIT, options.suspended ?? false);
    return { appId: options.appId, privateKey };
  }

  suspendApp(appId: number, suspended = true): void {
    this.credentials.app(appId).suspended = suspended;
  }

  /** @returns the new private key; the old one is refused from now on */
  rotateKey(appId: number): string {
    return this.credentials.rotateKey(appId);
  }

  /** @returns the installation's id */
  install(appId: number, options: InstallationOptions & { readonly owner: string }): number {
    return this.credentials.install(appId, this.world.account(options.owner), options);
  }

  /** A later `install` gets another id, as at GitHub. */
  uninstall(installationId: number): void {
    this.credentials.uninstall(installationId);
  }

  revokeTokens(installationId: number): void {
    this.credentials.revokeTokens(installationId);
  }

  /** A classic personal access token that may do everything. */
  addToken(token: string, options: { readonly limit?: number } = {}): void {
    this.credentials.addUserToken(token, options.limit ?? DEFAULT_LIMIT);
  }

  removeToken(token: string): void {
    this.credentials.removeUserToken(token);
  }

  get reusedJwts(): readonly string[] {
    return this.credentials.reusedJwts;
  }

  // ---- owners and runners

  /** Every organisation has the group Default, 1. */
  addOrganization(login: string): void {
    this.world.addAccount('organization', login);
  }

  /** The id in GitHub's own links: `/organizations/{id}/...`. */
  organizationId(login: string): number {
    return this.world.account(login).id;
  }

  addEnterprise(slug: string): void {
    this.world.addAccount('enterprise', slug);
  }

  addUser(login: string): void {
    this.world.addAccount('user', login);
  }

  addRepository(fullName: string, options: { readonly private?: boolean } = {}): void {
    this.world.addRepository(fullName, options.private ?? true);
  }

  addGroup(owner: string, options: GroupOptions): number {
    return this.world.addGroup(owner, options);
  }

  addRunner(owner: string, groupId: number, options: RunnerOptions): Runner {
    return this.world.addRunner(this.world.account(owner).book, groupId, options);
  }

  addRepositoryRunner(fullName: string, options: RunnerOptions): Runner {
    return this.world.addRunner(this.world.repository(fullName).book, undefined, options);
  }

  runner(owner: string, id: number): Runner | undefined {
    return this.world.book(owner).find(id);
  }

  runners(owner: string): readonly Runner[] {
    return this.world.book(owner).pool.all();
  }

  updateRunner(owner: string, id: number, changes: RunnerChanges): Runner {
    return this.world.book(owner).update(id, changes);
  }

  removeRunner(owner: string, id: number): void {
    if (!this.world.book(owner).remove(id)) throw new Error(`${owner} has no runner ${id}`);
  }

  /** Makes GitHub send these sizes of pages of a group, whatever was asked for; later pages are normal. */
  shapePages(owner: string, groupId: number, sizes: readonly number[]): void {
    this.world.account(owner).book.group(groupId).pool.pageSizes = sizes;
  }

  addJob(fullName: string, job: JobOptions): Job {
    return this.world.addJob(fullName, job);
  }

  updateJob(fullName: string, id: number, changes: Partial<Job>): Job {
    const { jobs } = this.world.repository(fullName);
    const job = jobs.get(id);
    if (!job) throw new Error(`${fullName} has no job ${id}`);
    const updated = { ...job, ...changes };
    jobs.set(id, updated);
    return updated;
  }

  // ---- limits and faults

  /** false: like a GHES without limits */
  set quotaEnabled(enabled: boolean) {
    this.quota.enabled = enabled;
  }

  set enforceSecondaryLimits(enabled: boolean) {
    this.secondary.enabled = enabled;
  }

  /** @param holder an installation's id or a token */
  remaining(holder: number | string): number {
    const { key, limit } = this.quotaOf(holder);
    return this.quota.remaining(key, limit);
  }

  setRemaining(holder: number | string, remaining: number): void {
    const { key, limit } = this.quotaOf(holder);
    this.quota.setRemaining(key, limit, remaining);
  }

  fault(match: FaultMatch, effect: FaultEffect<FakeGitHub>): FaultHandle {
    return this.faults.add(match, effect);
  }

  clearFaults(): void {
    this.faults.clear();
  }

  count(filter: RequestFilter = {}): number {
    return this.requests.filter((request) => matches(request, filter)).length;
  }

  private quotaOf(holder: number | string): QuotaAccount {
    const installation = typeof holder === 'number' ? this.credentials.installation(holder) : undefined;
    if (installation) return installationQuota(installation);
    const user = typeof holder === 'string' ? this.credentials.userToken(holder) : undefined;
    if (!user) throw new Error(`there is no installation or token ${holder}`);
    return userQuota(user);
  }

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { world, credentials, quota, now, settings, router, faults, secondary, requests } = this;
    const services = { world, credentials, quota, now, settings, deleted: (id: number) => void this.deletions.push(id) };
    try {
      await serveRequest({ services, router, faults, secondary, state: this, requests }, req, res);
    } catch (error) {
      // a client that went away in the middle of its request is its own affair; anything else is a fault of the fake, and `stop` says so
      if (req.complete) this.broken ??= error;
      res.destroy();
    }
  }
}
