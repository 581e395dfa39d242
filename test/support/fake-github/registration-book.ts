import type { Runner, RunnerChanges } from './runner';
import { runnerLabels } from './runner';
import { RunnerPool } from './runner-pool';

export interface Group {
  readonly id: number;
  name: string;
  /** made in the enterprise and shared with the organisation */
  readonly inherited: boolean;
  readonly pool: RunnerPool;
}

export const DEFAULT_GROUP = 1;

/** Who is registered at one organisation, enterprise or repository, and in which group. */
export class RegistrationBook {
  /** empty in a repository */
  readonly groups = new Map<number, Group>();
  readonly pool = new RunnerPool();

  private readonly byId = new Map<number, Runner>();
  private readonly byName = new Map<string, Runner>();

  constructor(private readonly owner: string) {}

  addGroup(id: number, name: string, inherited: boolean): void {
    if (this.groups.has(id)) throw new Error(`${this.owner} has a runner group ${id} already (every organisation has the group Default, 1)`);
    this.groups.set(id, { id, name, inherited, pool: new RunnerPool() });
  }

  group(id: number): Group {
    const group = this.groups.get(id);
    if (!group) throw new Error(`${this.owner} has no runner group ${id}`);
    return group;
  }

  add(runner: Runner): void {
    if (this.byId.has(runner.id)) throw new Error(`${this.owner} has a runner ${runner.id} already`);
    this.claimName(runner.name, runner);
    this.byId.set(runner.id, runner);
    this.pool.add(runner);
    if (runner.runner_group_id !== undefined) this.group(runner.runner_group_id).pool.add(runner);
  }

  find(id: number): Runner | undefined {
    return this.byId.get(id);
  }

  findByName(name: string): Runner | undefined {
    return this.byName.get(name);
  }

  update(id: number, changes: RunnerChanges): Runner {
    const runner = this.byId.get(id);
    if (!runner) throw new Error(`${this.owner} has no runner ${id}`);
    const { labels, name, runner_group_id: groupId, ...plain } = changes;
    if (name !== undefined && name !== runner.name) {
      this.claimName(name, runner);
      this.byName.delete(runner.name);
      runner.name = name;
    }
    if (groupId !== undefined) this.move(runner, groupId);
    if (labels) runner.labels = runnerLabels(labels);
    return Object.assign(runner, plain);
  }

  remove(id: number): boolean {
    const runner = this.byId.get(id);
    if (!runner) return false;
    this.byId.delete(id);
    this.byName.delete(runner.name);
    this.pool.remove(runner);
    if (runner.runner_group_id !== undefined) this.group(runner.runner_group_id).pool.remove(runner);
    return true;
  }

  private move(runner: Runner, groupId: number): void {
    if (runner.runner_group_id !== undefined) this.group(runner.runner_group_id).pool.remove(runner);
    this.group(groupId).pool.add(runner);
    runner.runner_group_id = groupId;
  }

  /** GitHub keeps names unique: a second registration needs `--replace`, which keeps the id. */
  private claimName(name: string, runner: Runner): void {
    const holder = this.byName.get(name);
    if (holder && holder !== runner) throw new Error(`${this.owner} has a runner '${name}' already, id ${holder.id}: remove or update it`);
    this.byName.set(name, runner);
  }
}
