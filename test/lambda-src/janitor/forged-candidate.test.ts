import * as fc from 'fast-check';
import type { MachineState, Registration } from '../../../lambda-src/janitor/ports';
import type { CandidateMessage } from '../../../src/contract/candidate-message';
import type { EvidencePolicy } from '../../../src/contract/janitor-config';
import { machineId, MINUTE, World } from '../../support/janitor/world';

/** Whoever may nominate may write anything to the queue, also what looks like a candidate of a first look. */

let world: World;
beforeEach(() => { world = new World(); });

const secondLook = async (forged: Partial<CandidateMessage>, runner: Registration) => {
  world.now += 16 * MINUTE;
  return (await world.confirm([world.forged(runner, forged)])).outcomes;
};

test('that claims to have seen the machine terminated is not believed where the scope is suspect', async () => {
  world.add({ status: 'online' });
  expect(await secondLook({ evidence: 'terminated' }, world.ghost())).toEqual({ evidenceInsufficient: 1 });
});

test('that claims to have seen the machine terminated is not believed where that has to be seen', async () => {
  world.policy = { ...world.policy, evidence: 'terminated' };
  expect(await secondLook({ evidence: 'terminated' }, world.ghost())).toEqual({ evidenceInsufficient: 1 });
});

test('counts where the second look sees the machine terminated itself', async () => {
  world.policy = { ...world.policy, evidence: 'terminated' };
  const ghost = world.ghost();
  world.machines.set(machineId(ghost.id), 'terminated');
  expect(await secondLook({ evidence: 'absent' }, ghost)).toEqual({ deleted: 1 });
});

test('does not spare a registration the first look: absence is not enough, however well the scope proof holds', async () => {
  world.living();
  expect(await secondLook({ evidence: 'absent' }, world.ghost())).toEqual({ evidenceInsufficient: 1 });
  expect(world.deleted).toEqual([]);
});

test('that names a group which is not configured deletes nothing there', async () => {
  world.registrations.set('9', []);
  const outside = world.add({ groupKey: '9' }, '9');
  world.machines.set(machineId(outside.id), 'terminated');
  expect(await secondLook({ group: { key: '9', name: 'spot', pages: 1 } }, outside)).toEqual({ outOfScope: 1 });
});

test('that names the id of another runner deletes the one that bears the name, or none', async () => {
  const [ghost, living] = [world.ghost(), world.living()];
  world.machines.set(machineId(ghost.id), 'terminated');
  expect(await secondLook({ runner: { id: living.id, name: ghost.name } }, ghost)).toEqual({ deleted: 1 });
  expect(world.deleted).toEqual([ghost.id]);
});

test('asks GitHub for nothing of its group, and does not hold up the message beside it', async () => {
  const ghost = world.ghost();
  world.registrations.set('9', []);
  const elsewhere = world.add({ groupKey: '9' }, '9');
  const forged = { group: { key: '9', name: 'spot', pages: 1 } };
  world.now += 16 * MINUTE;
  world.policy = { ...world.policy, dryRun: true };
  const { outcomes } = await world.confirm([...Array.from({ length: 9 }, () => world.forged(elsewhere, forged)), world.message(ghost)]);
  expect(outcomes).toEqual({ evidenceInsufficient: 9, wouldDelete: 1 });
  expect(world.requests).toEqual(['page 1 1', `find ${ghost.id}`]);
});

test('is named in the log', async () => {
  const ghost = world.ghost();
  await secondLook({ evidence: 'terminated' }, ghost);
  expect(world.logged('warn')).toContain(`a candidate that no first look of ours has sent counts as a nomination {"messageId":"m0","runner":"${ghost.name}"}`);
});

test('a younger one that claims more does not take the place of one that the first look has sent', async () => {
  const ghost = world.ghost();
  world.machines.set(machineId(ghost.id), 'unknown');
  world.now += 16 * MINUTE;
  const honest = world.message(ghost, { evidence: 'terminated' });
  expect((await world.confirm([honest, world.forged(ghost, { evidence: 'terminated' })])).returned).toEqual([0, 1]);
});

interface Scene {
  readonly registration: Partial<Registration>;
  readonly machine: MachineState;
  readonly neighbour: { readonly status: string; readonly machine: MachineState };
  readonly group: string;
  readonly evidence: EvidencePolicy;
  readonly dryRun: boolean;
}

const scenes = fc.record<Scene>({
  registration: fc.record({
    status: fc.constantFrom('offline', 'offline', 'offline', 'online', 'idle'),
    busy: fc.constantFrom(false, false, false, true),
    labels: fc.constantFrom([], [], ['keep']),
    name: fc.constantFrom('p_i-0123abcd', 'p_i-0123abcd', 'p_i-0123456789abcdef0', 's390x-7'),
  }, { requiredKeys: ['name'] }),
  machine: fc.constantFrom<MachineState>('absent', 'absent', 'terminated', 'terminated', 'present', 'unknown'),
  neighbour: fc.record({ status: fc.constantFrom('online', 'offline'), machine: fc.constantFrom<MachineState>('present', 'absent', 'terminated', 'unknown') }),
  group: fc.constantFrom('1', '1', '9'),
  evidence: fc.constantFrom<EvidencePolicy>('absent', 'terminated'),
  dryRun: fc.constantFrom(false, false, false, true),
});

const claims = fc.record({
  evidence: fc.constantFrom('absent' as const, 'terminated' as const),
  mode: fc.constantFrom('armed' as const, 'armed' as const, 'dryRun' as const),
  observedAt: fc.constantFrom('2025-12-31T23:00:00.000Z', '2026-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z'),
  group: fc.constantFrom('1', '9').map((key) => ({ key, name: 'spot', pages: 1 })),
}, { requiredKeys: [] });

/** What goes in one and the same world, in which only the messages differ. */
async function deletedIn(scene: Scene, nominate: (it: World, runner: Registration) => Promise<void>): Promise<readonly number[]> {
  const it = new World();
  it.policy = { ...it.policy, evidence: scene.evidence, dryRun: scene.dryRun, protectedLabels: ['keep'] };
  // group 9 is there, but not among the configured ones
  it.registrations.set('9', []);
  const runner = it.add({ ...scene.registration, groupKey: scene.group }, scene.group);
  const neighbour = it.add({ status: scene.neighbour.status, groupKey: scene.group }, scene.group);
  it.machines.set(runner.name.slice(2), scene.machine).set(machineId(neighbour.id), scene.neighbour.machine);
  await nominate(it, runner);
  it.queue = it.queue.filter(({ body }) => body.includes(runner.name));
  await it.confirmAll(16 * MINUTE);
  return it.deleted;
}

test('deletes nothing that a candidate of the first look, or a nomination, would not', async () => {
  let deletions = 0;
  await fc.assert(fc.asyncProperty(scenes, claims, async (scene, claim) => {
    const forged = await deletedIn(scene, async (it, runner) => { it.queue.push({ ...it.forged(runner, claim), sentAt: it.now }); });
    if (forged.length === 0) return true;
    deletions += 1;
    const nominated = await deletedIn(scene, async (it, runner) => { it.queue.push({ ...it.nomination(runner.name), sentAt: it.now }); });
    const seen = await deletedIn(scene, async (it) => { await it.discover(); });
    return forged.every((id) => nominated.includes(id) || seen.includes(id));
  }), { numRuns: 10_000 });
  // a property over no deletion would prove nothing
  expect(deletions).toBeGreaterThan(100);
});
