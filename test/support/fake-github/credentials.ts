import { randomBytes } from 'node:crypto';
import { readAppJwt } from './app-jwt';
import type { App, Caller, Grant, Installation, InstallationOptions, Permissions, UserToken } from './caller';
import type { KeyPair } from './key-pool';
import { returnKeyPairs, takeKeyPair } from './key-pool';
import type { Account } from './world';

export const TOKEN_LIFETIME_MS = 3_600_000;

const DEFAULT_PERMISSIONS: Permissions = {
  actions: 'read', administration: 'write', metadata: 'read', organization_self_hosted_runners: 'write',
};

/** Apps, their installations, and every token that is or was good for something. */
export class Credentials {
  private readonly apps = new Map<number, App>();
  private readonly installations = new Map<number, Installation>();
  private readonly grants = new Map<string, Grant>();
  private readonly userTokens = new Map<string, UserToken>();
  private readonly mints = new Map<string, number>();
  private readonly keys: KeyPair[] = [];
  private nextInstallationId = 50_000;
  private nextUserId = 700;

  constructor(private readonly now: () => number) {}

  addApp(appId: number, limit: number, suspended: boolean): string {
    if (this.apps.has(appId)) throw new Error(`there is an App ${appId} already`);
    const { privateKey, publicKey } = this.takeKey();
    this.apps.set(appId, { appId, clientId: `Iv23li${appId}`, limit, publicKey, suspended });
    return privateKey;
  }

  /** The old key stops working at once. */
  rotateKey(appId: number): string {
    const { privateKey, publicKey } = this.takeKey();
    this.app(appId).publicKey = publicKey;
    return privateKey;
  }

  app(appId: number): App {
    const app = this.apps.get(appId);
    if (!app) throw new Error(`there is no App ${appId}: add it first`);
    return app;
  }

  install(appId: number, account: Account, options: InstallationOptions): number {
    const id = options.installationId ?? this.nextInstallationId++;
    if (this.installations.has(id)) throw new Error(`there is an installation ${id} already`);
    this.installations.set(id, {
      id, app: this.app(appId), account, permissions: options.permissions ?? DEFAULT_PERMISSIONS, repositories: lowerCase(options.repositories),
    });
    return id;
  }

  uninstall(installationId: number): void {
    this.installations.delete(installationId);
    this.revokeTokens(installationId);
  }

  revokeTokens(installationId: number): void {
    for (const [token, grant] of this.grants) if (grant.installation.id === installationId) this.grants.delete(token);
  }

  addUserToken(token: string, limit: number): void {
    this.userTokens.set(token, { token, userId: this.nextUserId++, limit });
  }

  removeUserToken(token: string): void {
    this.userTokens.delete(token);
  }

  userToken(token: string): UserToken | undefined {
    return this.userTokens.get(token);
  }

  installation(id: number): Installation | undefined {
    return this.installations.get(id);
  }

  installationOf(app: App, account: Account): Installation | undefined {
    return [...this.installations.values()].find((installation) => installation.app === app && installation.account === account);
  }

  mint(jwt: string, installation: Installation, narrowed: { permissions?: Permissions; repositories?: ReadonlySet<string> }): Grant {
    this.mints.set(jwt, (this.mints.get(jwt) ?? 0) + 1);
    const grant: Grant = {
      token: longToken(installation.app.appId),
      installation,
      permissions: narrowed.permissions ?? installation.permissions,
      repositories: narrowed.repositories ?? installation.repositories,
      expiresAt: this.now() + TOKEN_LIFETIME_MS,
    };
    this.grants.set(grant.token, grant);
    return grant;
  }

  /** JWTs by which more than one token was minted: GitHub is reported to trip over them (terraform-aws-github-runner#5025). */
  get reusedJwts(): readonly string[] {
    return [...this.mints].filter(([, count]) => count > 1).map(([jwt]) => jwt);
  }

  identify(authorization: string | undefined): Caller {
    const token = bearer(authorization);
    if (!token) return { kind: 'nobody', status: 401, message: 'Requires authentication' };
    const grant = this.grants.get(token);
    if (grant && grant.expiresAt > this.now()) return { kind: 'installation', grant };
    const user = this.userTokens.get(token);
    if (user) return { kind: 'user', user };
    if (token.startsWith('gh') || token.split('.').length !== 3) return { kind: 'nobody', status: 401, message: 'Bad credentials' };
    const reading = readAppJwt(token, (issuer) => this.appOf(issuer), this.now());
    return 'app' in reading ? { kind: 'app', app: reading.app, jwt: token } : { kind: 'nobody', ...reading };
  }

  /** Nothing works after this. */
  dispose(): void {
    this.apps.clear();
    returnKeyPairs(this.keys.splice(0));
  }

  private takeKey(): KeyPair {
    const pair = takeKeyPair();
    this.keys.push(pair);
    return pair;
  }

  private appOf(issuer: string): App | undefined {
    return [...this.apps.values()].find((app) => String(app.appId) === issuer || app.clientId === issuer);
  }
}

/** GitHub takes both words, in any case. */
export function bearer(authorization: string | undefined): string | undefined {
  return /^(?:bearer|token)\s+(\S+)$/i.exec(authorization ?? '')?.[1];
}

export function lowerCase(names: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return names && new Set(names.map((name) => name.toLowerCase()));
}

/** Since April 2026 installation tokens are long and have dots in them. */
function longToken(appId: number): string {
  const part = (bytes: number) => randomBytes(bytes).toString('base64url');
  return `ghs_${appId}_${part(27)}.${part(120)}.${part(192)}`;
}
