import { DEMO } from '../../../examples/demo/demo-app';
import type { Ec2Service, InstanceState } from '../cloud/ec2-service';
import type { FakeGitHub } from '../fake-github/fake-github';
import type { RunnerOptions } from '../fake-github/runner';

interface Member {
  readonly group: 0 | 1;
  readonly github: Pick<RunnerOptions, 'status' | 'busy'>;
  /** undefined: no region knows the machine */
  readonly machine?: { readonly region: 0 | 1; readonly state: InstanceState };
}

const OFFLINE = { status: 'offline', busy: false } as const;

const LIVING: readonly Member[] = [
  { group: 0, github: { status: 'online', busy: false }, machine: { region: 0, state: 'running' } },
  // a runner that works although GitHub shows it offline and idle
  { group: 0, github: OFFLINE, machine: { region: 1, state: 'running' } },
  { group: 1, github: { status: 'online', busy: true }, machine: { region: 1, state: 'running' } },
  { group: 1, github: OFFLINE, machine: { region: 0, state: 'stopped' } },
];

const GHOSTS: readonly Member[] = [
  { group: 0, github: OFFLINE },
  { group: 0, github: OFFLINE, machine: { region: 0, state: 'terminated' } },
  { group: 1, github: OFFLINE },
  { group: 1, github: OFFLINE, machine: { region: 1, state: 'terminated' } },
];

/** Comes and goes between the looks, so that only a nomination can tell of it. */
const LATE_GHOST: Member = { group: 1, github: OFFLINE, machine: { region: 1, state: 'terminated' } };

export interface Registered {
  readonly id: number;
  readonly name: string;
}

/** A small fleet with one of each kind, made anew for each cell: no id or name is ever used twice. */
export class MatrixFleet {
  readonly living: readonly Registered[];
  readonly ghosts: Registered[];
  private readonly machines: string[] = [];

  constructor(
    private readonly github: FakeGitHub,
    private readonly ec2: Ec2Service,
    private readonly groups: readonly number[],
    private readonly number: number,
  ) {
    this.living = LIVING.map((member) => this.add(member));
    this.ghosts = GHOSTS.map((member) => this.add(member));
  }

  addLateGhost(): Registered {
    const late = this.add(LATE_GHOST);
    this.ghosts.push(late);
    return late;
  }

  get ghostsLeft(): readonly Registered[] {
    return this.ghosts.filter(({ id }) => this.github.runner(DEMO.organization, id) !== undefined);
  }

  /** Takes everything away that is left. */
  clear(): void {
    // a copy: the list shrinks under the loop
    for (const { id } of [...this.github.runners(DEMO.organization)]) this.github.removeRunner(DEMO.organization, id);
    for (const machine of this.machines) this.ec2.forget(machine);
  }

  private add({ group, github, machine }: Member): Registered {
    const machineId = `i-${(this.number * 100 + this.machines.length).toString(16).padStart(17, '0')}`;
    this.machines.push(machineId);
    if (machine) this.ec2.add({ id: machineId, region: DEMO.regions[machine.region], state: machine.state });
    const name = `${DEMO.prefix}${machineId}`;
    return { id: this.github.addRunner(DEMO.organization, this.groups[group]!, { name, ...github }).id, name };
  }
}
