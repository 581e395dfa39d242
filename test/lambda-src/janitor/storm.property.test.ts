import * as fc from 'fast-check';
import type { MachineState } from '../../../lambda-src/janitor/ports';
import {
  DeadlineError, LimitError, NoCredentialError, NotFoundError, PermissionError, QuotaReserveError, TransientError,
} from '../../../lambda-src/shared/errors';
import { machineId, MINUTE, World } from '../../support/janitor/world';

const ERRORS = [
  TransientError, TransientError, LimitError, PermissionError, NotFoundError, QuotaReserveError, DeadlineError, NoCredentialError, RangeError,
];

/** What really is, however GitHub and the cloud show it. */
interface Truth {
  readonly ghosts: ReadonlySet<number>;
  readonly living: ReadonlySet<number>;
  /** living, and online all the time: without one of them nobody could notice that an inventory is blind */
  readonly witnesses: ReadonlySet<number>;
  readonly machines: ReadonlyMap<string, MachineState>;
}

/** Numbers in [0, 1) that are the same for the same seed (Lehmer's generator). */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function populate(world: World, roll: () => number): Truth {
  world.addGroup('2');
  const [ghosts, living, witnesses] = [new Set<number>(), new Set<number>(), new Set<number>()];
  for (const group of ['1', '2']) {
    witnesses.add(world.living({}, group).id);
    for (let n = 0; n < 4; n += 1) living.add(world.living({ status: roll() < 0.7 ? 'offline' : 'online', busy: roll() < 0.2 }, group).id);
    for (let n = 0; n < 3; n += 1) {
      const { id } = world.ghost(group);
      if (roll() < 0.3) world.machines.set(machineId(id), 'terminated');
      ghosts.add(id);
    }
  }
  witnesses.forEach((id) => living.add(id));
  return { ghosts, living, witnesses, machines: new Map(world.machines) };
}

/** Something happens between two answers: registrations change, GitHub fails, the cloud is blind or says nothing. */
function storm(world: World, truth: Truth, roll: () => number): (what: string) => void {
  const any = <T>(items: Iterable<T>): T => [...items][Math.floor(roll() * [...items].length)]!;
  const changeable = [...truth.living].filter((id) => !truth.witnesses.has(id));
  const happen = () => {
    const id = any(changeable);
    if (roll() < 0.5) world.change(id, { status: roll() < 0.5 ? 'online' : 'offline', busy: roll() < 0.2 });
    else if (roll() < 0.3) world.change(any(truth.ghosts), { busy: roll() < 0.5 });
    else if (roll() < 0.3) world.now += roll() * 40_000;
    else move(roll() < 0.5 ? id : any(truth.ghosts));
  };
  const move = (id: number) => {
    const registration = [...world.registrations.values()].flat().find((one) => one.id === id);
    if (!registration) return;
    const groupKey = registration.groupKey === '1' ? '2' : '1';
    world.remove(id);
    world.registrations.get(groupKey)!.push({ ...registration, groupKey });
  };
  const cloud = (): ReadonlyMap<string, MachineState> => {
    const mood = roll();
    if (mood < 0.25) return new Map();
    if (mood < 0.5) return new Map([...truth.machines].map(([id, state]) => [id, roll() < 0.5 ? 'unknown' : state]));
    return truth.machines;
  };
  return (what) => {
    if (roll() < 0.4) happen();
    if (what === 'lookup') world.machines = new Map(cloud());
    else if (what !== 'send' && roll() < 0.12) throw new (any(ERRORS))('storm');
  };
}

async function looks(world: World): Promise<void> {
  const started = world.now;
  await world.discover();
  await world.confirmAll();
  world.now = Math.max(world.now, started + world.policy.interval) + MINUTE;
}

const runs = process.env.CI ? 1500 : 300;

test('in any storm nothing living is asked to be deleted, and when it is over every ghost goes', async () => {
  let deletions = 0;
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 2_147_483_646 }), async (seed) => {
    const roll = dice(seed);
    const world = new World();
    world.random = roll;
    world.namesGroups = roll() < 0.7;
    const truth = populate(world, roll);
    const asked: number[] = [];
    const wind = storm(world, truth, roll);
    world.before = (what) => {
      if (what.startsWith('delete ')) asked.push(Number(what.slice(7)));
      wind(what);
    };
    for (let run = 0; run < 4; run += 1) await looks(world);
    deletions += world.deleted.length;

    world.before = (what) => { if (what.startsWith('delete ')) asked.push(Number(what.slice(7))); };
    world.machines = new Map(truth.machines);
    truth.ghosts.forEach((id) => world.change(id, { busy: false }));
    for (let run = 0; run < 3; run += 1) await looks(world);

    const wrong = asked.filter((id) => truth.living.has(id));
    const left = world.remaining.filter((id) => truth.ghosts.has(id));
    expect({ wrong, left, queue: world.queue.length }).toEqual({ wrong: [], left: [], queue: 0 });
  }), { numRuns: runs });
  // storms in which nothing was deleted at all would prove little
  expect(deletions).toBeGreaterThan(runs);
}, 120_000);
