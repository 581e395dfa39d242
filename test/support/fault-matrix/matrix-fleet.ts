import { DEMO } from '../../../examples/demo/demo-app';
import type { Ec2Service, InstanceState } from '../cloud/ec2-service';
import type { FakeGitHub } from '../fake-github/fake-github';
import type { RunnerOptions } from '../fake-github/runner';

interface Member {
  readonly group: 0 | 1;
  readonly github: Pick<RunnerOptions, 'status' | 'busy'>;
  /** undefined: no region knows the machine */
  readonly machine?: Machine;
  /** what has changed by the time of the second look */
  readonly later?: { readonly machine?: Machine; readonly github?: Member['github'] };
}

interface Machine {
  readonly region: 0 | 1;
  readonly state: InstanceState;
}

const OFFLINE = { status: 'offline', busy: false } as const;

const LIVING: readonly Member[] = [
  { group: 0, github: { status: 'online', busy: false }, machine: { region: 0, state: 'running' } },
  // a runner that works although GitHub shows it offline and idle
  { group: 0, github: OFFLINE, machine: { region: 1, state: 'running' } },
  { group: 1, github: { status: 'online', busy: true }, machine: { region: 1, state: 'running' } },
  { group: 1, github: OFFLINE, machine: { region: 0, state: 'stopped' } },
  // two that look like ghosts at first: one whose machine cannot be seen yet, and one that is back at the second look
  { group: 0, github: OFFLINE, later: { machine: { region: 1, state: 'running' } } },
  { group: 1, github: OFFLINE, machine: { region: 0, state: 'terminated' }, later: { github: { status: 'online', busy: false } } },
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
  readonly machine: string;
}

/** A small fleet with one of each kind, made anew for each cell: no id or name is ever used twice. */
export class MatrixFleet {
  readonly living: readonly Registered[];
  readonly ghosts: Registered[];
  private count = 0;

  constructor(
    private readonly github: FakeGitHub,
    private readonly ec2: Ec2Service,
    private readonly groups: readonly number[],
    private readonly number: number,
  ) {
    this.living = LIVING.map((member) => this.add(member));
    this.ghosts = GHOSTS.map((member) => this.add(member));
  }

  /** What happens between the looks. @returns the ghost that has come and gone */
  passTime(): Registered {
    LIVING.forEach(({ later }, index) => {
      const { id, machine } = this.living[index]!;
      if (later?.machine) this.launch(machine, later.machine);
      if (later?.github) this.github.updateRunner(DEMO.organization, id, later.github);
    });
    const late = this.add(LATE_GHOST);
    this.ghosts.push(late);
    return late;
  }

  get ghostsLeft(): readonly Registered[] {
    return this.ghosts.filter(({ id }) => this.github.runner(DEMO.organization, id) !== undefined);
  }

  /** Takes everything away that is left. */
  clear(): void {
    for (const { id, machine } of [...this.living, ...this.ghosts]) {
      if (this.github.runner(DEMO.organization, id)) this.github.removeRunner(DEMO.organization, id);
      this.ec2.forget(machine);
    }
  }

  private add({ group, github, machine }: Member): Registered {
    const id = `i-${(this.number * 100 + this.count++).toString(16).padStart(17, '0')}`;
    if (machine) this.launch(id, machine);
    const name = `${DEMO.prefix}${id}`;
    return { id: this.github.addRunner(DEMO.organization, this.groups[group]!, { name, ...github }).id, name, machine: id };
  }

  private launch(id: string, { region, state }: Machine): void {
    this.ec2.add({ id, region: DEMO.regions[region], state });
  }
}
