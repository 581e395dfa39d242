import type { MachineState, Registration } from '../../../lambda-src/janitor/ports';
import { livelier, ScopeProof, suspectAgain } from '../../../lambda-src/janitor/scope-proof';
import { machineId, World } from '../../support/janitor/world';

const GROUP = { key: '1', name: 'spot' };
const STATES: readonly MachineState[] = ['present', 'terminated', 'absent', 'unknown'];

let world: World;
beforeEach(() => { world = new World(); });

/** A proof that has seen these online runners, each with the machine that the look-up shows now. */
function proofOf(...runners: readonly Registration[]): ScopeProof {
  const proof = new ScopeProof(GROUP, []);
  for (const runner of runners) proof.observe(runner, machineId(runner.id), world.machines.get(machineId(runner.id)) ?? 'absent');
  return proof;
}

const settle = (proof: ScopeProof) => proof.settle(world.firstLookPorts(), () => true, new Map());
const online = () => world.add({ status: 'online' });

describe('an online runner', () => {
  test.each<[MachineState, number]>([['present', 1], ['terminated', 1], ['absent', 0], ['unknown', 0]])(
    'whose machine is %s counts as %d witnesses', (state, expected) => {
      const runner = online();
      world.machines.set(machineId(runner.id), state);
      expect(proofOf(runner).witnesses).toBe(expected);
    });

  test.each(['offline', 'asleep'])('only is one while its status is online, not %s', (status) => {
    expect(proofOf({ ...world.living(), status }).witnesses).toBe(0);
  });

  test('without a machine, looked at once more and still the same, is a violation that is named', async () => {
    const suspect = online();
    const proof = proofOf(suspect);
    expect(await settle(proof)).toBe('violated');
    expect(proof.violation).toEqual({ group: GROUP, runner: { id: suspect.id, name: suspect.name }, machine: machineId(suspect.id) });
    expect(await settle(proof)).toBe('violated');
  });
});

describe('a suspect that is looked at once more', () => {
  const runner: Registration = { id: 1, name: 'p_one', status: 'online', busy: false, labels: [], groupKey: '1' };
  const offline = { ...runner, status: 'offline' };
  const renamed = { ...runner, name: 'p_two' };

  test.each<[string, Registration | 'gone' | 'unproven', MachineState, ReturnType<typeof suspectAgain>]>([
    ['is a violation when nothing has changed', runner, 'absent', 'violation'],
    ['has gone offline', offline, 'absent', 'cleared'],
    ['has another name by now', renamed, 'absent', 'cleared'],
    ['has a status that nobody knows', { ...runner, status: 'asleep' }, 'absent', 'cleared'],
    ['is gone', 'gone', 'absent', 'cleared'],
    ['is gone, and nobody knows about its machine', 'gone', 'unknown', 'cleared'],
    ['cannot be read', 'unproven', 'absent', 'open'],
    ['has a machine that cannot be looked up', runner, 'unknown', 'open'],
    ['has gone offline, and its machine cannot be looked up', offline, 'unknown', 'open'],
    ...(['present', 'terminated'] as const).flatMap((machine) => ([runner, offline, renamed, 'gone', 'unproven'] as const).map(
      (seen): [string, Registration | 'gone' | 'unproven', MachineState, 'witness'] => [`has its machine, ${machine}, after all`, seen, machine, 'witness'],
    )),
  ])('%s (%#)', (_, seen, machine, expected) => {
    expect(suspectAgain('p_one', seen, machine)).toBe(expected);
  });

  test.each(['present', 'terminated'] as const)('counts as a witness when its machine, %s, is seen now', async (state) => {
    const late = online();
    const proof = proofOf(late);
    world.machines.set(machineId(late.id), state);
    expect(await settle(proof)).toBe('holds');
    expect(proof.witnesses).toBe(1);
  });

  test('outweighs an online runner whose machine could not be looked up', async () => {
    const late = online();
    const unseen = online();
    world.machines.set(machineId(unseen.id), 'unknown');
    const proof = proofOf(late, unseen);
    world.machines.set(machineId(late.id), 'present');
    expect(await settle(proof)).toBe('holds');
  });

  test('is no witness when it is cleared because it has gone', async () => {
    const dying = online();
    const proof = proofOf(dying);
    world.change(dying.id, { status: 'offline' });
    expect(await settle(proof)).toBe('holds');
    expect(proof.witnesses).toBe(0);
  });

  test('leaves the proof open when its machine cannot be looked up, and nobody is accused', async () => {
    const suspect = online();
    const proof = proofOf(suspect);
    world.machines.set(machineId(suspect.id), 'unknown');
    expect(await settle(proof)).toBe('unproven');
    expect(proof.violation).toBeUndefined();
  });

  test('leaves the proof open, and is not asked for, when there is no time', async () => {
    const proof = proofOf(online());
    expect(await proof.settle(world.firstLookPorts(), () => false, new Map())).toBe('unproven');
    expect([...world.requests, ...world.lookups]).toEqual([]);
  });
});

test('of two look-ups of one machine a doubt outweighs every kind of absence, and life outweighs a doubt', () => {
  const order: readonly MachineState[] = ['absent', 'terminated', 'unknown', 'present'];
  for (const one of STATES) {
    for (const other of STATES) expect(livelier(one, other)).toBe(order[Math.max(order.indexOf(one), order.indexOf(other))]);
  }
});
