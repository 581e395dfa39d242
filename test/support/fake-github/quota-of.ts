import type { Caller, Installation, UserToken } from './caller';

export interface QuotaAccount {
  readonly key: string;
  readonly limit: number;
}

/** Whose quota a request is charged to. Requests with an App's JWT are not charged here: they are no part of an installation's quota. */
export function quotaOf(caller: Caller): QuotaAccount | undefined {
  if (caller.kind === 'installation') return installationQuota(caller.grant.installation);
  return caller.kind === 'user' ? userQuota(caller.user) : undefined;
}

export function installationQuota({ id, app }: Installation): QuotaAccount {
  return { key: `installation ID ${id}`, limit: app.limit };
}

export function userQuota({ userId, limit }: UserToken): QuotaAccount {
  return { key: `user ID ${userId}`, limit };
}
