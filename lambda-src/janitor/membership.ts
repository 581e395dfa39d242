import type { Candidate } from './candidate';
import type { ReadingPorts } from './group-reading';
import { GroupReading } from './group-reading';
import type { RunnerGroup } from './ports';
import { describeError } from '../shared/errors';

interface Members {
  readonly ids: ReadonlySet<number>;
  readonly complete: boolean;
}

/**
 * Which registrations stand in a group, for hosts whose answers do not say (older GHES). Each group is read at most once, page by page,
 * until all that the batch asks for are found. A group that was not read to its end knows those it has shown, but nothing of anybody else.
 */
export class Membership {
  private readonly groups = new Map<string, Promise<Members>>();

  /** @param asked the candidates whose membership may be asked for */
  constructor(private readonly ports: ReadingPorts, private readonly asked: readonly Candidate[]) {}

  /** Never throws. */
  async has(group: RunnerGroup, id: number): Promise<boolean | 'unknown'> {
    const members = this.groups.get(group.key) ?? this.readGroup(group, soughtIn(group, this.asked).add(id));
    this.groups.set(group.key, members);
    return isMember(await members, id);
  }

  private async readGroup(group: RunnerGroup, sought: Set<number | string>): Promise<Members> {
    // one group that is large, slow or hangs must leave time to judge the others
    const ports = { ...this.ports, deadline: this.ports.deadline.share() };
    // begun anywhere, so that what lies behind the last page that time allows has its chance as well
    const reading = new GroupReading(ports, group, { page: (pages) => 1 + Math.floor(ports.random() * pages) });
    const ids = new Set<number>();
    try {
      for await (const registrations of reading.read()) {
        for (const { id, name } of registrations) {
          ids.add(id);
          sought.delete(id);
          sought.delete(name);
        }
        if (sought.size === 0) break;
      }
    } catch (error) {
      ports.log.warn('the members of a group could not all be read', { group: group.name, read: ids.size, error: describeError(error) });
    }
    return { ids, complete: reading.readToTheEnd };
  }
}

/** The ids of the group's own candidates, and the names of nominations, which may stand in any group. */
export function soughtIn(group: RunnerGroup, asked: readonly Candidate[]): Set<number | string> {
  const sought = new Set<number | string>();
  for (const { name, registration } of asked) {
    if (!registration) sought.add(name);
    else if (registration.group.key === group.key) sought.add(registration.id);
  }
  return sought;
}

/** Found is found; not found means something only where everybody was seen. */
export function isMember({ ids, complete }: Members, id: number): boolean | 'unknown' {
  return ids.has(id) || (complete ? false : 'unknown');
}
