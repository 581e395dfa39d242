import { AppsBy } from './apps-by';
import type { AnsweredRefusal } from './classify';
import { enterpriseEndpoints, organizationEndpoints, repositoryEndpoints } from './endpoints';
import type { NamedPlace, ScopeEndpoints } from './endpoints';
import { selectGroups } from './groups';
import { namedRunners } from './named-runners';
import { hasNextPage } from './pager';
import type { CredentialTrouble, Meaning, OnRefusal, PoolSession, Rank } from './pool-session';
import type { Quota } from './quota';
import { parseGroupPage, parseRunner, parseRunnerPage } from './shapes';
import type { GroupKeyOf, ListedGroup } from './shapes';
import type { ScopeConfig } from '../../src/contract/janitor-config';
import type { DeleteAnswer, Log, Registration, RegistrationPage, Registrations, RunnerGroup } from '../janitor/ports';
import { DeadlineError, describeError, NotFoundError, PermissionError, ReadAgainError, TransientError } from '../shared/errors';

/** GitHub during one invocation. */
export interface GitHubSession extends Registrations {
  /** base of the API, which tells one host from another */
  readonly apiUrl: string;
  /** each credential that was of no or little use so far, and why */
  readonly trouble: readonly CredentialTrouble[];
  /** by App; undefined where GitHub does not say */
  readonly quotas: Readonly<Record<string, Quota | undefined>>;
}

/** The registrations of one scope: one method, one request, apart from what authentication and limits ask for. */
export class GitHubRegistrations implements GitHubSession {
  private readonly endpoints: ScopeEndpoints;
  private readonly repositories: readonly RunnerGroup[];
  /** Apps that have seen the list of groups */
  private readonly listReaders = new Set<string>();
  /** by group: Apps that have seen one of its pages */
  private readonly pageReaders = new AppsBy();
  /** by group: Apps that may see other groups, but not this one */
  private readonly pageRefused = new AppsBy();
  /** by group and id: Apps that have seen the registration itself */
  private readonly shown = new AppsBy();
  /** by place: Apps that may not delete there */
  private readonly deleteRefused = new AppsBy();
  private readonly listChecks = new Map<string, Promise<boolean>>();
  private missing: readonly string[] = [];
  /** the latest DELETE has to be repeated */
  private repeats = false;

  constructor(private readonly session: PoolSession, private readonly scope: ScopeConfig, private readonly log: Log) {
    this.repositories = scope.kind === 'repositories' ? scope.repositories.map((name) => ({ key: `${scope.owner}/${name}`, name })) : [];
    this.endpoints = endpointsOf(scope, this.repositories);
  }

  get apiUrl() {
    return this.session.apiUrl;
  }

  get trouble() {
    return this.session.trouble;
  }

  get quotas() {
    return this.session.quotas;
  }

  get missingGroups() {
    return this.missing;
  }

  async listGroups(): Promise<readonly RunnerGroup[]> {
    if (this.scope.kind === 'repositories') return this.repositories;
    const { groups, missing } = selectGroups(await this.readGroupList(), this.scope.groups);
    this.missing = missing;
    for (const group of missing) this.log.error(`there is no runner group ${group} in ${this.scope.owner}; it is skipped`, { group });
    return groups;
  }

  async readPage(group: RunnerGroup, page: number): Promise<RegistrationPage> {
    const { what, call } = this.endpoints.runners(group, page);
    const answer = await this.session.request(what, call, {
      rank: (app) => this.pageRefused.has(group.key, app) ? 1 : 0,
      onRefusal: this.scope.kind === 'repositories' ? onRepositoryRefused : (refusal, app) => this.onPageRefused(what, group, refusal, app),
    });
    if ('refusal' in answer) throw unexpected(what, answer.refusal);
    const { headers, data } = answer.response;
    const { totalCount, registrations } = parseRunnerPage(what, data, this.groupKeyOf(group, group.key));
    const hasNext = hasNextPage(what, headers.link, this.session.apiUrl);
    // only now is it proven that this App can read the group
    this.pageReaders.add(group.key, answer.app);
    return { totalCount, registrations, hasNext };
  }

  async find(group: RunnerGroup, id: number): Promise<Registration | 'gone' | 'unproven'> {
    const { what, call } = this.endpoints.runner(group, id);
    const answer = await this.session.request(what, call, {
      rank: (app) => this.pageReaders.has(group.key, app) ? 0 : 1,
      onRefusal: ({ kind }) => kind === 'permission' ? 'next' : 'answer',
    });
    if ('refusal' in answer) {
      if (answer.refusal.kind !== 'notFound') throw unexpected(what, answer.refusal);
      return this.pageReaders.has(group.key, answer.app) ? 'gone' : 'unproven';
    }
    const registration = parseRunner(what, answer.response.data, this.groupKeyOf(group, undefined));
    if (registration.id !== id) throw new TransientError(`${what}: answered with the registration ${registration.id}`);
    this.shown.add(`${group.key} ${id}`, answer.app);
    return registration;
  }

  async findByName(name: string): Promise<readonly Registration[]> {
    const found: Registration[] = [];
    const errors: unknown[] = [];
    for (const place of this.endpoints.named(name)) {
      try {
        found.push(...await this.findInPlace(place, name));
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 0) return found;
    // the name may be borne where nobody could look
    if (found.length === 0) throw errors[0];
    this.log.warn('the name was found, but not every repository could be asked for it', { runner: name, errors: errors.map(describeError) });
    return found;
  }

  async turnToDelete(group: RunnerGroup): Promise<void> {
    // a DELETE is repeated only now and then, so whoever it comes to then must be able to send it
    await this.session.turnToWrite('the next DELETE', this.rankToDelete(group), this.repeats ? 'all' : 'next');
  }

  async delete(group: RunnerGroup, id: number): Promise<DeleteAnswer> {
    const { what, call } = this.endpoints.remove(group, id);
    this.repeats = false;
    let refused = false;
    const onRefusal: OnRefusal = (refusal, app) => {
      if (refusal.kind === 'unprocessable') return 'answer';
      // what an App cannot see does not exist for it
      if (refusal.kind === 'notFound') return this.pageReaders.has(group.key, app) || this.shown.has(`${group.key} ${id}`, app) ? 'answer' : 'next';
      refused = true;
      this.deleteRefused.add(this.placeOf(group), app);
      return refusal.mayBeLag ? 'again' : 'next';
    };
    try {
      const answer = await this.session.request(what, call, {
        onRefusal,
        rank: this.rankToDelete(group),
        isWrite: true,
      });
      if ('refusal' in answer) return answer.refusal.kind === 'unprocessable' ? 'becameBusy' : 'alreadyGone';
      if (answer.response.status !== 204) throw new TransientError(`${what}: unexpected answer ${answer.response.status}`);
      return 'deleted';
    } catch (error) {
      if (error instanceof NotFoundError) throw new TransientError(`${error.message}, from an App that has not seen the registration`, { cause: error });
      if (refused && error instanceof PermissionError) return 'refused';
      this.repeats = error instanceof ReadAgainError;
      throw error;
    }
  }

  private async findInPlace(place: NamedPlace, name: string): Promise<readonly Registration[]> {
    const onRefusal = place.group ? onRepositoryRefused : onListRefused;
    const apps = new Set<string>();
    const found = await namedRunners(place, name, this.groupKeyOf(place.group, undefined), this.session.apiUrl, async ({ what, call }) => {
      const answer = await this.session.request(what, call, { onRefusal });
      if ('refusal' in answer) throw unexpected(what, answer.refusal);
      apps.add(answer.app);
      return answer.response;
    });
    // whoever has seen this list of a repository has read the repository
    for (const app of place.group ? apps : []) this.pageReaders.add(place.group!.key, app);
    return found;
  }

  private async readGroupList(): Promise<readonly ListedGroup[]> {
    const listed: ListedGroup[] = [];
    for (let page = 1; ; page++) {
      const { what, call } = this.endpoints.groups!(page);
      const answer = await this.session.request(what, call, { onRefusal: onListRefused });
      if ('refusal' in answer) throw unexpected(what, answer.refusal);
      const { groups } = parseGroupPage(what, answer.response.data);
      this.listReaders.add(answer.app);
      listed.push(...groups);
      // an empty page with a next link would go on for ever
      if (groups.length === 0 || !hasNextPage(what, answer.response.headers.link, this.session.apiUrl)) return listed;
    }
  }

  /** Of an App that can see groups at all, a 404 means that the group is gone, and a 403 is about this group only. */
  private async onPageRefused(what: string, group: RunnerGroup, { kind, message }: AnsweredRefusal, app: string): Promise<Meaning> {
    if (kind === 'unprocessable') return 'answer';
    const mayList = await this.mayReadGroupList(app);
    if (mayList === 'unknown') return 'unsure';
    if (!mayList) return 'out';
    if (kind === 'notFound') return 'answer';
    this.pageRefused.add(group.key, app);
    this.session.note(app, 'permission', `${what} (${app}): ${message}`);
    return 'next';
  }

  /** Asked once for requests that run at the same time. */
  private async mayReadGroupList(app: string): Promise<boolean | 'unknown'> {
    if (this.listReaders.has(app)) return true;
    const check = this.listChecks.get(app) ?? this.readGroupListAs(app).finally(() => this.listChecks.delete(app));
    this.listChecks.set(app, check);
    try {
      return await check;
    } catch (error) {
      if (error instanceof DeadlineError) throw error;
      this.log.warn('whether an App may list the groups could not be found out', { credential: app, error: describeError(error) });
      return 'unknown';
    }
  }

  private async readGroupListAs(app: string): Promise<boolean> {
    const { what, call } = this.endpoints.groups!(1);
    const answer = await this.session.request(what, call, { only: app, onRefusal: () => 'answer' });
    if ('refusal' in answer) return false;
    parseGroupPage(what, answer.response.data);
    this.listReaders.add(app);
    return true;
  }

  /** An App that may only read comes last; of the others, one whose 404 says that the registration is gone comes first. */
  private rankToDelete(group: RunnerGroup): Rank {
    return (app) => {
      if (this.deleteRefused.has(this.placeOf(group), app)) return 2;
      return this.pageReaders.has(group.key, app) ? 0 : 1;
    };
  }

  /** Within which a right to delete is the same: the groups of an organization share one. */
  private placeOf({ key }: RunnerGroup): string {
    return this.scope.kind === 'repositories' ? key : this.scope.owner;
  }

  private groupKeyOf(group: RunnerGroup | undefined, otherwise: string | undefined): GroupKeyOf {
    // a repository's runner may carry the id of a group that means nothing here
    if (this.scope.kind === 'repositories') return () => group?.key;
    return (runnerGroupId) => runnerGroupId === undefined ? otherwise : String(runnerGroupId);
  }
}

function endpointsOf(scope: ScopeConfig, repositories: readonly RunnerGroup[]): ScopeEndpoints {
  switch (scope.kind) {
    case 'organization': return organizationEndpoints(scope.owner);
    case 'enterprise': return enterpriseEndpoints(scope.owner);
    case 'repositories': return repositoryEndpoints(scope.owner, repositories);
  }
}

/** An App that may not read a list is of no use for the rest of the invocation. */
const onListRefused: OnRefusal = ({ kind }) => kind === 'unprocessable' ? 'answer' : 'out';

/** Rights differ from repository to repository: another App may have them here, and this one elsewhere. */
const onRepositoryRefused: OnRefusal = ({ kind }) => kind === 'unprocessable' ? 'answer' : 'next';

function unexpected(what: string, { kind, message, cause }: AnsweredRefusal): NotFoundError | TransientError {
  return kind === 'notFound' ? new NotFoundError(`${what}: ${message}`, { cause }) : new TransientError(`${what}: ${message}`, { cause });
}
