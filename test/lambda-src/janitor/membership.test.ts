import type { Candidate } from '../../../lambda-src/janitor/candidate';
import { isMember, soughtIn } from '../../../lambda-src/janitor/membership';
import type { Registration } from '../../../lambda-src/janitor/ports';
import { NotFoundError, PermissionError, TransientError } from '../../../lambda-src/shared/errors';
import { machineId, MINUTE, World } from '../../support/janitor/world';

/** Older servers name no group with a registration: who stands where has to be read from the groups. */

let world: World;
beforeEach(() => {
  world = new World();
  world.namesGroups = false;
});

const candidate = (id: number, key: string): Candidate => ({
  registration: { id, scope: 's', group: { key, name: 'spot', pages: 1 } }, name: `p_${id}`, observedAt: 0, evidence: 'absent', mode: 'armed',
});

test('of a group its own candidates are sought by id, and nominations by name', () => {
  const nomination: Candidate = { ...candidate(3, '1'), registration: undefined };
  expect([...soughtIn({ key: '1', name: 'spot' }, [candidate(1, '1'), candidate(2, '2'), nomination])]).toEqual([1, 'p_3']);
});

test.each<[string, number[], boolean, boolean | 'unknown']>([
  ['found in a group that was read to its end', [1, 2], true, true],
  ['found in a group that was not', [1, 2], false, true],
  ['not found in a group that was read to its end', [2], true, false],
  ['not found in a group that was not', [2], false, 'unknown'],
  ['not found in a group of which nothing was read', [], false, 'unknown'],
])('%s', (_, ids, complete, expected) => {
  expect(isMember({ ids: new Set(ids), complete }, 1)).toBe(expected);
});

describe('a large, slow group', () => {
  beforeEach(() => {
    for (let n = 0; n < 10_000; n += 1) world.ghost();
    world.before = (what) => { if (what.startsWith('page')) world.now += 1200; };
    world.now += 16 * MINUTE;
  });
  const messages = (...ids: number[]) => ids.map((id) => world.message({ id, name: `p_${machineId(id)}` }));

  test('is read no further than to the last one that the batch asks for', async () => {
    expect((await world.confirm(messages(1, 2, 3, 250))).outcomes).toEqual({ deleted: 4 });
    // the first one is the sample
    expect(world.requests.filter((what) => what.startsWith('page'))).toEqual(['page 1 1', 'page 1 1', 'page 1 2', 'page 1 3']);
  });

  test('is not searched for candidates whose machine lives', async () => {
    world.machines.set(machineId(9999), 'present');
    expect((await world.confirm(messages(1, 9999))).outcomes).toEqual({ deleted: 1, machinePresent: 1 });
    expect(world.requests.filter((what) => what.startsWith('page'))).toHaveLength(2);
  });

  test('is given up in time to delete what was found in it; the others go back', async () => {
    expect(await world.confirm(messages(1, 9999, 150))).toMatchObject({ outcomes: { deleted: 2, unknown: 1 }, returned: [1] });
    expect(world.logged('warn')).toContain('the members of a group could not all be read {"group":"spot","read":3');
  });

  test('is begun anywhere, so that those behind the last page that time allows go sooner or later', async () => {
    world.random = () => 0.95;
    expect((await world.confirm(messages(9999))).outcomes).toEqual({ deleted: 1 });
  });
});

describe('a nomination', () => {
  const nominate = async () => {
    world.now += 16 * MINUTE;
    return world.confirm([world.nomination(`p_${machineId(7)}`)]);
  };
  const add = (groupKey: string): Registration => {
    world.machines.set(machineId(7), 'terminated');
    return world.add({ id: 7, name: `p_${machineId(7)}` }, groupKey);
  };
  const groupThat = (fault: () => void) => {
    world.before = (what) => { if (what.startsWith('page 1')) fault(); };
  };
  const FAULTS: ReadonlyArray<[string, () => void]> = [
    ['breaks', () => { throw new TransientError('502'); }],
    ['hangs', () => { world.now += 10_000; throw new TransientError('no complete answer in time'); }],
    ['answers 403', () => { throw new PermissionError('403'); }],
    ['was removed a moment ago', () => { throw new NotFoundError('404'); }],
  ];

  test.each(FAULTS)('is found in its group although another one %s', async (_, fault) => {
    world.addGroup('2');
    const { id } = add('2');
    groupThat(fault);
    expect((await nominate()).outcomes).toEqual({ deleted: 1 });
    expect(world.deleted).toEqual([id]);
  });

  test.each(FAULTS)('goes back when no other group than one that %s can hold it', async (_, fault) => {
    world.addGroup('2');
    add('1');
    groupThat(fault);
    expect(await nominate()).toMatchObject({ outcomes: { unknown: 1 }, returned: [0] });
    expect(world.deleted).toEqual([]);
  });

  test('costs no more pages than it takes to find it', async () => {
    add('1');
    for (let n = 0; n < 500; n += 1) world.ghost();
    expect((await nominate()).outcomes).toEqual({ deleted: 1 });
    expect(world.requests.filter((what) => what.startsWith('page'))).toEqual(['page 1 1']);
  });
});
