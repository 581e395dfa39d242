import type { Octokit } from '@octokit/rest';
import type { Call, Response } from './client';
import { PAGE_SIZE } from '../../src/contract/limits';
import type { RunnerGroup } from '../janitor/ports';

/** One GitHub request, and how errors and logs call it. */
export interface Endpoint {
  readonly what: string;
  readonly call: Call<Response>;
}

/** The requests of one kind of scope. */
export interface ScopeEndpoints {
  /** undefined where runners have no groups */
  readonly groups: ((page: number) => Endpoint) | undefined;
  runners(group: RunnerGroup, page: number): Endpoint;
  runner(group: RunnerGroup, id: number): Endpoint;
  /** one for each place in which names are unique */
  named(name: string): readonly (Endpoint & { readonly group: RunnerGroup | undefined })[];
  remove(group: RunnerGroup, id: number): Endpoint;
}

export function organizationEndpoints(org: string): ScopeEndpoints {
  const path = `/orgs/${org}/actions`;
  return {
    // runner groups have no typed methods in Octokit
    groups: groupsOf(path),
    runners: runnersOfGroup(path),
    runner: (_, id) => endpoint(`GET ${path}/runners/${id}`, (octokit, auth) =>
      octokit.rest.actions.getSelfHostedRunnerForOrg({ org, runner_id: id, ...auth })),
    named: (name) => [{
      group: undefined,
      ...endpoint(`GET ${path}/runners`, (octokit, auth) => octokit.rest.actions.listSelfHostedRunnersForOrg({ org, name, per_page: PAGE_SIZE, ...auth })),
    }],
    // never the group's own DELETE, which only moves the runner to the default group
    remove: (_, id) => endpoint(`DELETE ${path}/runners/${id}`, (octokit, auth) =>
      octokit.rest.actions.deleteSelfHostedRunnerFromOrg({ org, runner_id: id, ...auth })),
  };
}

/** Octokit has no methods for enterprise runners; the paths are those of an organization. */
export function enterpriseEndpoints(enterprise: string): ScopeEndpoints {
  const path = `/enterprises/${encodeURIComponent(enterprise)}/actions`;
  return {
    groups: groupsOf(path),
    runners: runnersOfGroup(path),
    runner: (_, id) => route('GET', `${path}/runners/${id}`),
    named: (name) => [{ group: undefined, ...route('GET', `${path}/runners`, { name, per_page: PAGE_SIZE }) }],
    remove: (_, id) => route('DELETE', `${path}/runners/${id}`),
  };
}

/** Each repository stands for a group; its key is `owner/name`. */
export function repositoryEndpoints(owner: string, groups: readonly RunnerGroup[]): ScopeEndpoints {
  const path = (repo: string) => `/repos/${owner}/${repo}/actions/runners`;
  const list = ({ name: repo }: RunnerGroup, filter: { readonly name?: string; readonly page?: number }) => endpoint(`GET ${path(repo)}`, (octokit, auth) =>
    octokit.rest.actions.listSelfHostedRunnersForRepo({ owner, repo, per_page: PAGE_SIZE, ...filter, ...auth }));
  return {
    groups: undefined,
    runners: (group, page) => list(group, { page }),
    runner: ({ name: repo }, id) => endpoint(`GET ${path(repo)}/${id}`, (octokit, auth) =>
      octokit.rest.actions.getSelfHostedRunnerForRepo({ owner, repo, runner_id: id, ...auth })),
    named: (name) => groups.map((group) => ({ group, ...list(group, { name }) })),
    remove: ({ name: repo }, id) => endpoint(`DELETE ${path(repo)}/${id}`, (octokit, auth) =>
      octokit.rest.actions.deleteSelfHostedRunnerFromRepo({ owner, repo, runner_id: id, ...auth })),
  };
}

function groupsOf(path: string): (page: number) => Endpoint {
  return (page) => route('GET', `${path}/runner-groups`, { per_page: PAGE_SIZE, page });
}

/** The path is made from the group's id: `runners_url` in GitHub's own examples is wrong. */
function runnersOfGroup(path: string): (group: RunnerGroup, page: number) => Endpoint {
  return ({ key }, page) => route('GET', `${path}/runner-groups/${encodeURIComponent(key)}/runners`, { per_page: PAGE_SIZE, page });
}

function route(method: 'GET' | 'DELETE', path: string, parameters: Record<string, string | number> = {}): Endpoint {
  return endpoint(`${method} ${path}`, (octokit, auth) => octokit.request(`${method} ${path}`, { ...parameters, ...auth }));
}

function endpoint(what: string, call: (octokit: Octokit, auth: Parameters<Call<Response>>[1]) => Promise<Response>): Endpoint {
  return { what, call };
}
