import type { GroupSelection, ScopeConfig } from './contract/janitor-config';
import type { TextRule } from './private/validate';
import { checkList, checkText, invalid } from './private/validate';
import type { RunnerGroup } from './runner-group';

/** Which part of an organization or enterprise. */
export interface RunnerScopeOptions {
  /**
   * The runner groups to clean.
   *
   * @default - all groups that belong to the organization or enterprise itself
   */
  readonly runnerGroups?: RunnerGroup[];
}

/** Where at GitHub the registrations are. */
export class RunnerScope {
  /**
   * An organization.
   *
   * @param name as it stands in URLs: `acme` of `https://github.com/acme`
   * @param options which runner groups
   */
  public static organization(name: string, options: RunnerScopeOptions = {}): RunnerScope {
    checkText('organization', name, LOGIN);
    return new RunnerScope({ kind: 'organization', owner: name, ...groups(options) });
  }

  /**
   * Repositories of one owner, with runners of their own.
   *
   * @param owner organization or user
   * @param names of the repositories, without the owner. Throws when there are none, or one is given twice (GitHub ignores case).
   */
  public static repositories(owner: string, names: string[]): RunnerScope {
    checkText('owner', owner, LOGIN);
    checkList('repositories', names, { item: checkRepository, key: (name) => name.toLowerCase() });
    return new RunnerScope({ kind: 'repositories', owner, repositories: names });
  }

  /**
   * An enterprise. GitHub accepts only a classic personal access token there.
   *
   * @param slug as it stands in URLs: `acme` of `https://github.com/enterprises/acme`
   * @param options which runner groups
   */
  public static enterprise(slug: string, options: RunnerScopeOptions = {}): RunnerScope {
    checkText('enterprise', slug, LOGIN);
    return new RunnerScope({ kind: 'enterprise', owner: slug, ...groups(options) });
  }

  private constructor(
    /** @internal */
    public readonly _config: ScopeConfig,
  ) {}
}

const LOGIN: TextRule = {
  pattern: /^[a-z\d][a-z\d_-]{0,99}$/i,
  allowed: 'a name of letters, digits, - and _ that starts with a letter or digit',
};

const REPOSITORY: TextRule = {
  pattern: /^(?!\.{1,2}$)[\w.-]{1,100}$/,
  allowed: 'the name of a repository without its owner: up to 100 letters, digits, -, _ and .',
};

function checkRepository(property: string, name: string): void {
  checkText(property, name, REPOSITORY);
}

function groups({ runnerGroups }: RunnerScopeOptions): { groups?: GroupSelection } {
  if (runnerGroups === undefined) return {};
  if (runnerGroups.length === 0) throw invalid('runnerGroups', 'left out for all groups, or a list of at least one', 'none');
  checkList('runnerGroups', runnerGroups, { key: ({ _name, _id }) => _name ?? _id });
  return {
    groups: {
      names: runnerGroups.flatMap(({ _name }) => _name ?? []),
      ids: runnerGroups.flatMap(({ _id }) => _id ?? []),
    },
  };
}
