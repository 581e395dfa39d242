import type { ReadingPorts } from './group-reading';
import { GroupReading } from './group-reading';
import type { RunnerGroup } from './ports';

const FROM_THE_FIRST_PAGE = { page: () => 1 };

/**
 * Which registrations stand in a group, for hosts whose answers do not say (older GHES). Each group is read at most once,
 * page by page; a group that could not be read to its end knows its members, but nothing of anybody else.
 */
export class Membership {
  private readonly groups = new Map<string, Promise<{ readonly ids: ReadonlySet<number>; readonly complete: boolean }>>();

  constructor(private readonly ports: ReadingPorts) {}

  async has(group: RunnerGroup, id: number): Promise<boolean | 'unknown'> {
    if (!this.groups.has(group.key)) this.groups.set(group.key, this.readGroup(group));
    const { ids, complete } = await this.groups.get(group.key)!;
    return ids.has(id) || (complete ? false : 'unknown');
  }

  private async readGroup(group: RunnerGroup): Promise<{ ids: ReadonlySet<number>; complete: boolean }> {
    const reading = new GroupReading(this.ports, group, FROM_THE_FIRST_PAGE);
    const ids = new Set<number>();
    for await (const registrations of reading.read()) registrations.forEach(({ id }) => ids.add(id));
    return { ids, complete: reading.readToTheEnd };
  }
}
