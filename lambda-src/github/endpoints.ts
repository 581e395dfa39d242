import type { Call, Response } from './client';
import { PAGE_SIZE } from '../../src/contract/limits';
import type { RunnerGroup } from '../janitor/ports';

/** One GitHub request, and how errors and logs call it. */
export interface Endpoint {
  readonly what: string;
  readonly call: Call<Response>;
}

/** A place in which names are unique, asked for one of them: the first page of the answer. */
export interface NamedPlace extends Endpoint {
  readonly group: RunnerGroup | undefined;
  /** the pages behind it, which only a server has that ignores the filter */
  page(page: number): Endpoint;
}

/** The requests of one kind of scope. */
export interface ScopeEndpoints {
  /** undefined where runners have no groups */
  readonly groups: ((page: number) => Endpoint) | undefined;
  runners(group: RunnerGroup, page: number): Endpoint;
  runner(group: RunnerGroup, id: number): Endpoint;
  named(name: string): readonly NamedPlace[];
  remove(group: RunnerGroup, id: number): Endpoint;
}

export function organizationEndpoints(org: string): ScopeEndpoints {
  return groupedEndpoints(`/orgs/${encodeURIComponent(org)}/actions`);
}

export function enterpriseEndpoints(enterprise: string): ScopeEndpoints {
  return groupedEndpoints(`/enterprises/${encodeURIComponent(enterprise)}/actions`);
}

/** Organizations and enterprises have the same paths below their own. */
function groupedEndpoints(path: string): ScopeEndpoints {
  return {
    groups: (page) => route('GET', `${path}/runner-groups`, { per_page: PAGE_SIZE, page }),
    // made from the group's id: `runners_url` in GitHub's own examples is wrong
    runners: ({ key }, page) => route('GET', `${path}/runner-groups/${encodeURIComponent(key)}/runners`, { per_page: PAGE_SIZE, page }),
    runner: (_, id) => route('GET', `${path}/runners/${id}`),
    named: (name) => [namedPlace(undefined, `${path}/runners`, name)],
    // never the group's own DELETE, which only moves the runner to the default group
    remove: (_, id) => route('DELETE', `${path}/runners/${id}`),
  };
}

/** Each repository stands for a group; its key is `owner/name`. */
export function repositoryEndpoints(owner: string, groups: readonly RunnerGroup[]): ScopeEndpoints {
  const path = ({ name }: RunnerGroup) => `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/actions/runners`;
  return {
    groups: undefined,
    runners: (group, page) => route('GET', path(group), { per_page: PAGE_SIZE, page }),
    runner: (group, id) => route('GET', `${path(group)}/${id}`),
    named: (name) => groups.map((group) => namedPlace(group, path(group), name)),
    remove: (group, id) => route('DELETE', `${path(group)}/${id}`),
  };
}

function namedPlace(group: RunnerGroup | undefined, path: string, name: string): NamedPlace {
  const page = (number: number) => route('GET', path, { name, per_page: PAGE_SIZE, page: number });
  return { group, page, ...page(1) };
}

function route(method: 'GET' | 'DELETE', path: string, parameters: Record<string, string | number> = {}): Endpoint {
  const what = `${method} ${path}`;
  return { what, call: (octokit, auth) => octokit.request(what, { ...parameters, ...auth }) };
}
