import type { ListedGroup } from './shapes';
import type { GroupSelection } from '../../src/contract/janitor-config';
import type { RunnerGroup } from '../janitor/ports';

export interface SelectedGroups {
  readonly groups: readonly RunnerGroup[];
  /** what the selection asks for and GitHub does not list, as a person would write it */
  readonly missing: readonly string[];
}

/**
 * Which of the listed groups belong to the scope: all of them, or the named ones. Groups that an organization inherits from its enterprise
 * are shared with others, and count only when somebody has named them.
 */
export function selectGroups(listed: readonly ListedGroup[], selection: GroupSelection | undefined): SelectedGroups {
  if (!selection) return { groups: listed.filter((group) => !group.inherited).map(asGroup), missing: [] };
  const isSelected = (group: ListedGroup) => selection.ids.includes(group.id) || selection.names.includes(group.name);
  return {
    groups: listed.filter(isSelected).map(asGroup),
    missing: [
      ...selection.names.filter((name) => !listed.some((group) => group.name === name)).map((name) => `'${name}'`),
      ...selection.ids.filter((id) => !listed.some((group) => group.id === id)).map((id) => `with id ${id}`),
    ],
  };
}

function asGroup({ id, name }: ListedGroup): RunnerGroup {
  return { key: String(id), name };
}
