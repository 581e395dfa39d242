import type { KeyObject } from 'node:crypto';
import type { Account } from './world';

export type Permissions = Readonly<Record<string, 'read' | 'write'>>;

export interface App {
  readonly appId: number;
  readonly clientId: string;
  readonly limit: number;
  publicKey: KeyObject;
  suspended: boolean;
}

export interface Installation {
  readonly id: number;
  readonly app: App;
  readonly account: Account;
  readonly permissions: Permissions;
  /** full names in lower case; undefined: all of the account's */
  readonly repositories: ReadonlySet<string> | undefined;
}

export interface InstallationOptions {
  readonly installationId?: number;
  /** @default what the janitor and the detector need */
  readonly permissions?: Permissions;
  /** full names: `acme/tools` @default all of the account's */
  readonly repositories?: readonly string[];
}

/** What one installation token may do; never more than its installation. */
export interface Grant {
  readonly token: string;
  readonly installation: Installation;
  readonly permissions: Permissions;
  readonly repositories: ReadonlySet<string> | undefined;
  readonly expiresAt: number;
}

export type Caller =
  | { readonly kind: 'nobody'; readonly status: number; readonly message: string }
  | { readonly kind: 'app'; readonly app: App; readonly jwt: string }
  | { readonly kind: 'installation'; readonly grant: Grant }
  | { readonly kind: 'user'; readonly user: UserToken };

/** A classic personal access token of somebody who owns everything. */
export interface UserToken {
  readonly token: string;
  readonly userId: number;
  readonly limit: number;
}
