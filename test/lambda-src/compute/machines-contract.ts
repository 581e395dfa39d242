import type { Machines } from '../../../lambda-src/janitor/ports';
import { Deadline } from '../../../lambda-src/shared/deadline';

/** What a compute provider has to show to be tested: a place with machines in it that can be broken. */
export interface MachinesFixture {
  readonly machinesFor: (deadline: Deadline) => Machines;
  /** runner names as the provider gives them, and the ids they lead to */
  readonly ours: readonly (readonly [name: string, id: string])[];
  readonly foreign: readonly string[];
  readonly present: readonly string[];
  readonly terminated: readonly string[];
  readonly absent: readonly string[];
  /** so many ids that nobody has ever had */
  readonly strangers: (count: number) => readonly string[];
  readonly requests: () => number;
  /** from now on, look-ups that ask for this id fail; all of them without an id */
  readonly breakLookups: (id?: string) => void;
  /** from now on, look-ups are never answered */
  readonly hangLookups: () => void;
}

/** Every provider keeps these promises, or the janitor could delete a living runner. */
export function machinesContract(provider: string, setUp: () => Promise<MachinesFixture> | MachinesFixture): void {
  describe(`${provider} keeps the contract of compute providers`, () => {
    let fixture: MachinesFixture;
    let machines: Machines;

    beforeEach(async () => {
      fixture = await setUp();
      machines = fixture.machinesFor(Deadline.after(60_000));
    });

    test('only names exactly as the provider gives them lead to a machine', () => {
      for (const [name, id] of fixture.ours) expect([name, machines.resourceIdOf(name)]).toEqual([name, id]);
      for (const name of [...fixture.foreign, '']) expect([name, machines.resourceIdOf(name)]).toEqual([name, undefined]);
    });

    test('each machine that was asked for gets its state, and no other does', async () => {
      const expected = new Map([
        ...fixture.present.map((id) => [id, 'present'] as const),
        ...fixture.terminated.map((id) => [id, 'terminated'] as const),
        ...fixture.absent.map((id) => [id, 'absent'] as const),
      ]);

      expect(await machines.lookup([...expected.keys()])).toEqual(expected);
    });

    test('nothing asked costs no request', async () => {
      expect(await machines.lookup([])).toEqual(new Map());
      expect(fixture.requests()).toBe(0);
    });

    test('an id that is asked for many times is looked up once', async () => {
      const [id] = fixture.present as [string];
      await machines.lookup([id]);
      const once = fixture.requests();

      expect(await machines.lookup(Array<string>(5000).fill(id))).toEqual(new Map([[id, 'present']]));
      expect(fixture.requests()).toBe(2 * once);
    });

    test('a failing look-up is unknown, for every machine, and does not throw', async () => {
      fixture.breakLookups();
      const ids = [...fixture.present, ...fixture.terminated, ...fixture.absent];

      expect(await machines.lookup(ids)).toEqual(new Map(ids.map((id) => [id, 'unknown'])));
    });

    test('a failing batch leaves the machines of the other batches known', async () => {
      const [broken, ...others] = fixture.strangers(2001) as [string, ...string[]];
      fixture.breakLookups(broken);

      const facts = await machines.lookup([broken, ...others]);

      expect(facts.get(broken)).toBe('unknown');
      expect(facts.get(others[others.length - 1]!)).toBe('absent');
      expect([...facts.values()].filter((state) => state === 'unknown').length).toBeLessThanOrEqual(200);
    });

    test('a look-up that is never answered ends as unknown when the signal of the call says so', async () => {
      const deadline = Deadline.after(60_000);
      deadline.signal = () => AbortSignal.timeout(200);
      fixture.hangLookups();

      expect(await fixture.machinesFor(deadline).lookup(fixture.present)).toEqual(new Map(fixture.present.map((id) => [id, 'unknown'])));
    });

    test('without time left nothing is asked and everything is unknown', async () => {
      const facts = await fixture.machinesFor(Deadline.after(9_000)).lookup(fixture.absent);

      expect(facts).toEqual(new Map(fixture.absent.map((id) => [id, 'unknown'])));
      expect(fixture.requests()).toBe(0);
    });
  });
}
