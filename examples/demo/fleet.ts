import { createHash } from 'node:crypto';
import { DEMO } from './demo-app';
import { FLEET_KINDS, type FleetKind } from './fleet-kinds';
import type { Ec2Service } from '../../test/support/cloud/ec2-service';
import type { FakeGitHub } from '../../test/support/fake-github/fake-github';

export interface Member {
  readonly kind: FleetKind;
  /** of the registration */
  readonly id: number;
  readonly name: string;
  readonly machine: string;
}

/**
 * The demo's registrations at GitHub and their machines at EC2. It knows from its own plan which of them have to go; what the handlers
 * say plays no part in that.
 */
export class Fleet {
  readonly members: Member[] = [];
  private readonly groups: readonly number[];
  private newcomers: readonly Member[] = [];
  private serial = 0;

  constructor(private readonly github: FakeGitHub, private readonly ec2: Ec2Service) {
    this.groups = DEMO.groups.map((name) => github.addGroup(DEMO.organization, { name }));
    this.register(FLEET_KINDS.filter(({ machine }) => machine !== 'late'));
  }

  get ghosts(): readonly Member[] {
    return this.members.filter(({ kind }) => kind.ghost);
  }

  /** Runners register before their machines can be seen: some do so just before every first look. */
  registerNewcomers(): void {
    this.newcomers = this.register(FLEET_KINDS.filter(({ machine }) => machine === 'late'));
  }

  /** What happens between two looks: the newcomers' machines come up, and some of them take a job. */
  bootNewcomers(): void {
    for (const { kind, id, machine } of this.newcomers) {
      this.ec2.add({ id: machine, region: regionOf(machine) });
      if (kind.later) this.github.updateRunner(DEMO.organization, id, kind.later);
    }
  }

  isRegistered({ id }: Member): boolean {
    return this.github.runner(DEMO.organization, id) !== undefined;
  }

  private register(kinds: readonly FleetKind[]): readonly Member[] {
    const plan = kinds.flatMap((kind) => Array.from({ length: kind.count }, (_, index) => ({ kind, order: digest(`${kind.title} ${index}`) })));
    // mixed, so that every page holds some of each
    const added = plan.sort((a, b) => a.order.localeCompare(b.order)).map(({ kind }) => this.add(kind));
    this.members.push(...added);
    return added;
  }

  private add(kind: FleetKind): Member {
    const number = this.serial++;
    const machine = `i-${digest(`machine ${number}`).slice(0, kind.shortId ? 8 : 17)}`;
    const name = kind.name(DEMO.prefix, machine);
    // two thirds are in the first group
    const group = this.groups[number % 3 === 2 ? 1 : 0]!;
    const { id } = this.github.addRunner(DEMO.organization, group, { name, ...kind.github });
    if (kind.machine !== 'none' && kind.machine !== 'late') this.ec2.add({ id: machine, region: regionOf(machine), state: kind.machine });
    return { kind, id, name, machine };
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function regionOf(machine: string): string {
  return DEMO.regions[machine.charCodeAt(2) % DEMO.regions.length]!;
}
