import type { Answer } from './answer';
import { notFound, ok, unprocessable } from './answer';
import { cut, linkHeader, pageRequest } from './paging';
import type { Group } from './registration-book';
import { DEFAULT_GROUP } from './registration-book';
import type { Access, Call, Route } from './route';
import { placeOf } from './route';
import type { Runner } from './runner';
import type { RunnerPool } from './runner-pool';

const ORGANIZATION = '/orgs/{org}/actions';
const ENTERPRISE = '/enterprises/{enterprise}/actions';

export function runnerRoutes(): readonly Route[] {
  return [
    ...routes(ORGANIZATION, needs('organization_self_hosted_runners')),
    ...groupRoutes(ORGANIZATION, needs('organization_self_hosted_runners')),
    ...routes(ENTERPRISE, () => 'enterpriseOwner'),
    ...groupRoutes(ENTERPRISE, () => 'enterpriseOwner'),
    ...routes('/repos/{owner}/{repo}/actions', needs('administration')),
  ];
}

type AccessTo = (level: 'read' | 'write') => Access;

function needs(permission: string): AccessTo {
  return (level) => ({ permission, level });
}

function routes(base: string, access: AccessTo): readonly Route[] {
  return [
    { method: 'GET', template: `${base}/runners`, access: access('read'), serve: listRunners },
    { method: 'GET', template: `${base}/runners/{runner_id}`, access: access('read'), serve: getRunner },
    { method: 'DELETE', template: `${base}/runners/{runner_id}`, access: access('write'), serve: deleteRunner },
  ];
}

function groupRoutes(base: string, access: AccessTo): readonly Route[] {
  const group = `${base}/runner-groups/{runner_group_id}`;
  return [
    { method: 'GET', template: `${base}/runner-groups`, access: access('read'), serve: listGroups },
    { method: 'GET', template: group, access: access('read'), serve: withGroup((call, found) => ok(groupBody(call, found))) },
    { method: 'GET', template: `${group}/runners`, access: access('read'), serve: withGroup((call, found) => runnerPage(call, found.pool)) },
    { method: 'DELETE', template: `${group}/runners/{runner_id}`, access: access('write'), serve: withGroup(takeOutOfGroup) },
  ];
}

function listRunners(call: Call): Answer {
  const { book } = placeOf(call);
  const name = call.query.get('name');
  if (name === null || call.services.settings.olderServer) return runnerPage(call, book.pool);
  const runner = book.findByName(name);
  const runners = runner && pageRequest(call.query).page === 1 ? [runnerBody(call, runner)] : [];
  return ok({ total_count: runner ? 1 : 0, runners });
}

function runnerPage(call: Call, pool: RunnerPool): Answer {
  const { page, perPage } = pageRequest(call.query);
  const runners = pool.page(page, perPage).map((runner) => runnerBody(call, runner));
  return ok({ total_count: pool.size, runners }, linkHeader(call.self, page, pool.lastPage(perPage)));
}

function getRunner(call: Call): Answer {
  const runner = placeOf(call).book.find(Number(call.params.runner_id));
  return runner ? ok(runnerBody(call, runner)) : notFound();
}

function deleteRunner(call: Call): Answer {
  const { book } = placeOf(call);
  const runner = book.find(Number(call.params.runner_id));
  if (!runner) return notFound();
  if (runner.busy) return unprocessable(`Bad request - Runner "${runner.name}" is still running a job"`);
  book.remove(runner.id);
  call.services.deleted(runner.id);
  return { status: 204 };
}

/** Easily taken for a deletion: the runner goes back to the group Default, and stays registered. */
function takeOutOfGroup(call: Call, group: Group): Answer {
  const { book } = placeOf(call);
  const runner = book.find(Number(call.params.runner_id));
  if (runner?.runner_group_id !== group.id) return notFound();
  book.update(runner.id, { runner_group_id: DEFAULT_GROUP });
  return { status: 204 };
}

function listGroups(call: Call): Answer {
  const request = pageRequest(call.query);
  const groups = [...placeOf(call).book.groups.values()];
  const { items, lastPage } = cut(groups, request);
  const body = { total_count: groups.length, runner_groups: items.map((group) => groupBody(call, group)) };
  return ok(body, linkHeader(call.self, request.page, lastPage));
}

function withGroup(serve: (call: Call, group: Group) => Answer): (call: Call) => Answer {
  return (call) => {
    const group = placeOf(call).book.groups.get(Number(call.params.runner_group_id));
    return group ? serve(call, group) : notFound();
  };
}

function groupBody(call: Call, group: Group): unknown {
  const { account } = placeOf(call);
  const family = account.kind === 'enterprise' ? 'enterprises' : 'orgs';
  return {
    id: group.id,
    name: group.name,
    visibility: 'all',
    default: group.id === DEFAULT_GROUP,
    // leads nowhere, as in GitHub's own examples: the real path has a hyphen
    runners_url: `${call.api}/${family}/${account.login}/actions/runner_groups/${group.id}/runners`,
    ...(account.kind === 'organization' && { inherited: group.inherited }),
    allows_public_repositories: false,
    restricted_to_workflows: false,
    selected_workflows: [],
    workflow_restrictions_read_only: false,
  };
}

function runnerBody(call: Call, runner: Runner): unknown {
  if (!call.services.settings.olderServer) return runner;
  const { id, name, os, status, busy, labels } = runner;
  return { id, name, os, status, busy, labels };
}
