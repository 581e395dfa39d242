import { account as accountBody } from './account-body';
import type { Answer } from './answer';
import { notFound, ok, suspended, unprocessable } from './answer';
import type { App, Grant, Installation, Permissions } from './caller';
import { lowerCase } from './credentials';
import type { Call, Route } from './route';
import { placeOf } from './route';

const SINCE = '2026-01-01T00:00:00Z';

/** What an App does with its own JWT, and the quota of any caller. */
export function appRoutes(): readonly Route[] {
  return [
    { method: 'POST', template: '/app/installations/{installation_id}/access_tokens', access: 'app', serve: mintToken },
    { method: 'GET', template: '/orgs/{org}/installation', access: 'app', serve: findInstallation },
    { method: 'GET', template: '/users/{username}/installation', access: 'app', serve: findInstallation },
    { method: 'GET', template: '/repos/{owner}/{repo}/installation', access: 'app', serve: findInstallation },
    { method: 'GET', template: '/enterprises/{enterprise}/installation', access: 'app', serve: findInstallation },
  ];
}

function mintToken(call: Call): Answer {
  const { app, jwt } = appOf(call);
  const installation = call.services.credentials.installation(Number(call.params.installation_id));
  if (installation?.app !== app) return notFound();
  if (app.suspended) return suspended();

  const asked = (call.body ?? {}) as { permissions?: Permissions; repositories?: readonly string[] };
  if (Object.entries(asked.permissions ?? {}).some(([name, level]) => !allows(installation, name, level))) {
    return unprocessable('The permissions requested are not granted to this installation.');
  }
  const repositories = lowerCase(asked.repositories?.map((name) => `${installation.account.login}/${name}`));
  if ([...repositories ?? []].some((name) => !call.services.world.findRepository(name) || installation.repositories?.has(name) === false)) {
    return unprocessable('There is at least one repository that does not exist or is not accessible to the parent installation.');
  }
  const grant = call.services.credentials.mint(jwt, installation, {
    ...(asked.permissions && { permissions: asked.permissions }),
    ...(repositories && { repositories }),
  });
  return { status: 201, body: tokenBody(grant) };
}

function findInstallation(call: Call): Answer {
  const { app } = appOf(call);
  if (!call.place) return notFound();
  const { account, repository } = placeOf(call);
  const installation = call.services.credentials.installationOf(app, account);
  if (!installation) return notFound();
  if (repository && installation.repositories?.has(repository.fullName.toLowerCase()) === false) return notFound();
  return ok(installationBody(call.api, installation));
}

function appOf(call: Call): { app: App; jwt: string } {
  if (call.caller.kind !== 'app') throw new Error(`${call.self.pathname} was reached without an App's JWT`);
  return call.caller;
}

function allows(installation: Installation, name: string, level: string): boolean {
  const granted = installation.permissions[name];
  return granted === 'write' || granted === level;
}

function tokenBody(grant: Grant): unknown {
  return {
    token: grant.token,
    // GitHub gives whole seconds
    expires_at: new Date(grant.expiresAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    permissions: grant.permissions,
    repository_selection: grant.repositories ? 'selected' : 'all',
  };
}

function installationBody(api: string, installation: Installation): unknown {
  const { id, app, account, permissions, repositories } = installation;
  return {
    id,
    account: accountBody(api, account),
    repository_selection: repositories ? 'selected' : 'all',
    access_tokens_url: `${api}/app/installations/${id}/access_tokens`,
    repositories_url: `${api}/installation/repositories`,
    html_url: `https://github.com/organizations/${account.login}/settings/installations/${id}`,
    app_id: app.appId,
    client_id: app.clientId,
    app_slug: `app-${app.appId}`,
    target_id: account.id,
    target_type: account.kind === 'user' ? 'User' : account.kind === 'enterprise' ? 'Enterprise' : 'Organization',
    permissions,
    events: ['workflow_job'],
    created_at: SINCE,
    updated_at: SINCE,
    single_file_name: null,
    suspended_by: null,
    suspended_at: app.suspended ? SINCE : null,
  };
}
