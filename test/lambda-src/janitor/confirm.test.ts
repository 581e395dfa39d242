import { openBatch } from '../../../lambda-src/janitor/confirm';
import { LimitError, PermissionError, ReadAgainError, TransientError } from '../../../lambda-src/shared/errors';
import { machineId, MINUTE, runnerName, World } from '../../support/janitor/world';

let world: World;
beforeEach(() => { world = new World(); });

test('case 1: a ghost goes with exactly one DELETE, fifteen minutes after the first look', async () => {
  const { id } = world.ghost();
  await world.discover();
  expect(await world.confirmAll()).toEqual({ deleted: 1 });
  expect(world.requests.filter((what) => what.startsWith('delete'))).toEqual([`delete ${id}`]);
  // one sample page, one GET, one DELETE; nothing is read after the DELETE
  expect(world.requests.slice(2)).toEqual(['page 1 1', `find ${id}`, `delete ${id}`]);
});

test('a message that comes too early waits for the rest of its time', async () => {
  world.ghost();
  await world.discover();
  world.now += 14 * MINUTE;
  const { outcomes, returned } = await world.confirm(world.queue);
  expect({ outcomes, returned, postponed: world.postponed }).toEqual({ outcomes: { tooEarly: 1 }, returned: [0], postponed: [60] });
  expect(world.deleted).toEqual([]);
});

test('case 29: in dry run both looks happen and nothing is deleted', async () => {
  world.policy = { ...world.policy, dryRun: true };
  const { id } = world.ghost();
  await world.discover();
  expect(await world.confirmAll()).toEqual({ wouldDelete: 1 });
  expect(world.requests).toContain(`find ${id}`);
  expect(world.requests.join()).not.toContain('delete');
});

test('case 29: a candidate of a dry run is not deleted by a janitor that was armed since', async () => {
  world.policy = { ...world.policy, dryRun: true };
  world.ghost();
  await world.discover();
  world.policy = { ...world.policy, dryRun: false };
  expect(await world.confirmAll()).toEqual({ nominatedInDryRun: 1 });
  expect(world.deleted).toEqual([]);
});

test('case 29: turning dry run on stops candidates that are already queued', async () => {
  world.ghost();
  await world.discover();
  world.policy = { ...world.policy, dryRun: true };
  expect(await world.confirmAll()).toEqual({ wouldDelete: 1 });
});

describe('a living runner is never deleted when, between the looks,', () => {
  test.each<[string, (id: number) => void, Record<string, number>]>([
    ['case 10: it came online and its machine is nowhere', (id) => world.change(id, { status: 'online' }), { scopeSuspect: 1 }],
    ['case 10: it came online on a machine of the same name', (id) => { world.change(id, { status: 'online' }); world.machines.set(machineId(id), 'present'); }, { machinePresent: 1 }],
    ['case 27: its machine became visible', (id) => world.machines.set(machineId(id), 'present'), { machinePresent: 1 }],
    ['case 10: its name was registered again under another id', (id) => { world.remove(id); world.add({ id: 900, name: runnerName(id) }); }, { alreadyGone: 1 }],
    ['its id got another name', (id) => world.change(id, { name: 'p_other' }), { renamed: 1 }],
    ['case 7: it got a job', (id) => world.change(id, { busy: true }), { stuckBusy: 1 }],
    ['it moved to another group', (id) => world.change(id, { groupKey: '7' }), { moved: 1 }],
    ['case 22: the configuration changed', () => { world.policy = { ...world.policy, scope: 'another' }; }, { outOfScope: 1 }],
    ['its machine can no longer be looked up', (id) => world.machines.set(machineId(id), 'unknown'), { unknown: 1 }],
  ])('%s', async (_, between, expected) => {
    const { id } = world.ghost();
    await world.discover();
    between(id);
    expect(await world.confirmAll()).toEqual(expected);
    expect(world.deleted).toEqual([]);
  });

  test('case 8: it takes a job in the moment before the DELETE', async () => {
    const { id } = world.ghost();
    world.answersToDelete.set(id, 'becameBusy');
    await world.discover();
    expect(await world.confirmAll()).toEqual({ becameBusy: 1 });
    expect(world.queue).toEqual([]);
  });

  test('the inventory has gone blind', async () => {
    const witness = world.living();
    world.ghost();
    await world.discover();
    world.machines.delete(machineId(witness.id));
    expect(await world.confirmAll()).toEqual({ scopeSuspect: 1 });
    expect(world.logged('error')).toContain(witness.name);
  });
});

test('a suspect of the sample that is cleared by a second question stops nothing', async () => {
  const dying = world.living();
  world.ghost();
  await world.discover();
  world.machines.delete(machineId(dying.id));
  world.before = (what) => { if (what === `find ${dying.id}`) world.change(dying.id, { status: 'offline' }); };
  expect(await world.confirmAll()).toEqual({ deleted: 1 });
});

test('a machine that one of the looks saw terminated goes although the sample is suspect', async () => {
  world.add({ status: 'online' });
  const { id } = world.ghost();
  world.machines.set(machineId(id), 'terminated');
  await world.discover();
  world.machines.delete(machineId(id));
  expect(await world.confirmAll()).toEqual({ deleted: 1 });
});

describe('case 14: an error is never read as absence:', () => {
  test.each([
    ['the sample page', 'page 1 1'],
    ['the GET', 'find 1'],
    ['case 17: the DELETE', 'delete 1'],
  ])('%s fails, the message goes back, and the ghost goes when the fault has ended', async (_, broken) => {
    world.ghost();
    await world.discover();
    world.before = (what) => { if (what === broken) throw new TransientError('502'); };
    expect(await world.confirmAll()).toEqual({ unknown: 1 });
    expect(world.queue).toHaveLength(1);
    expect(world.deleted).toEqual([]);
    world.before = () => {};
    expect(await world.confirmAll(12 * MINUTE)).toEqual({ deleted: 1 });
  });

  test.each([new LimitError('limit'), new PermissionError('403'), new TypeError('a bug')])('%s on one registration does not stop the next', async (error) => {
    const [first, second] = [world.ghost(), world.ghost()];
    await world.discover();
    world.before = (what) => { if (what === `find ${first.id}`) throw error; };
    expect(await world.confirmAll()).toEqual({ unknown: 1, deleted: 1 });
    expect(world.deleted).toEqual([second.id]);
  });

  test('a 404 counts only after the group was read', async () => {
    const { id } = world.ghost();
    await world.discover();
    world.remove(id);
    const sent = world.queue;
    world.now += 15 * MINUTE;
    world.before = (what) => { if (what.startsWith('page')) throw new TransientError('502'); };
    expect((await world.confirm(sent)).outcomes).toEqual({ unknown: 1 });
    world.before = () => {};
    expect((await world.confirm(sent)).outcomes).toEqual({ alreadyGone: 1 });
  });
});

describe('on a host whose answers name no group', () => {
  beforeEach(() => { world.namesGroups = false; });

  test('the group is read page by page first, once, and the registration last', async () => {
    const [first, second] = [world.ghost(), world.ghost()];
    await world.discover();
    world.requests = [];
    expect(await world.confirmAll()).toEqual({ deleted: 2 });
    expect(world.requests).toEqual([
      'page 1 1', `find ${first.id}`, 'page 1 1', `find ${first.id}`, `delete ${first.id}`, `find ${second.id}`, `find ${second.id}`, `delete ${second.id}`,
    ]);
  });

  test('a registration that is in no page of its group has moved', async () => {
    const { id, name } = world.ghost();
    await world.discover();
    world.remove(id);
    world.addGroup('2');
    world.add({ id, name }, '2');
    expect(await world.confirmAll()).toEqual({ moved: 1 });
  });

  test('a group that cannot be read to its end proves nothing', async () => {
    const { id } = world.ghost();
    await world.discover();
    let pages = 0;
    world.before = (what) => { if (what.startsWith('page') && (pages += 1) > 1) throw new TransientError('502'); };
    expect(await world.confirmAll()).toEqual({ unknown: 1 });
    expect(world.remaining).toEqual([id]);
  });
});

describe('case 24: bad messages', () => {
  test.each([
    'not json', '', '[]', 'null', '{}', '{"version":2}', '{"version":1}', '{"version":1,"kind":"candidate"}', '{"version":1,"kind":"nomination","runnerName":""}',
  ])('%s is acknowledged and counted, and the good one beside it is handled', async (body) => {
    const { id, name } = world.ghost();
    world.now += 20 * MINUTE;
    const { outcomes, returned } = await world.confirm([{ body, sentAt: world.now }, world.message({ id, name })]);
    expect({ outcomes, returned }).toEqual({ outcomes: { malformed: 1, deleted: 1 }, returned: [] });
  });

  test.each(['id', 'name'])('a candidate whose runner has a wrong %s is malformed', async (field) => {
    const { body, sentAt } = world.message({ id: 1, name: runnerName(1), [field]: null as never });
    expect((await world.confirm([{ body, sentAt }])).outcomes).toEqual({ malformed: 1 });
  });
});

test('an older message that cannot be judged makes way for a younger one about the same runner', async () => {
  const { id, name } = world.ghost();
  world.machines.set(machineId(id), 'unknown');
  world.now += 60 * MINUTE;
  const { outcomes, returned } = await world.confirm([world.message({ id, name }), world.message({ id, name })]);
  expect({ outcomes, returned }).toEqual({ outcomes: { unknown: 2 }, returned: [1] });
});

test('case 16: a batch in which every DELETE is refused says that a permission is missing', async () => {
  const ghosts = [world.ghost(), world.ghost()];
  ghosts.forEach(({ id }) => world.answersToDelete.set(id, 'refused'));
  world.now += 20 * MINUTE;
  const messages = ghosts.map((ghost) => world.message(ghost));
  expect((await world.confirm(messages)).report.allRefused).toBe(true);
  world.answersToDelete.delete(ghosts[1]!.id);
  expect((await world.confirm(messages)).report.allRefused).toBe(false);
});

test('the turn to write is waited for before the last read: nothing stands between that and the DELETE', async () => {
  const { id } = world.ghost();
  await world.discover();
  const steps: string[] = [];
  world.before = (what) => { steps.push(what); };
  await world.confirmAll();
  expect(steps.slice(-3)).toEqual(['turn', `find ${id}`, `delete ${id}`]);
});

describe('a DELETE that was not carried out for want of a token', () => {
  const steps: string[] = [];
  const lackTokens = (times: number, meanwhile: () => void = () => {}) => {
    let left = times;
    steps.length = 0;
    world.before = (what) => {
      steps.push(what);
      if (!what.startsWith('delete') || left === 0) return;
      left -= 1;
      meanwhile();
      throw new ReadAgainError('401');
    };
  };

  test('is repeated, with its own turn and its own last read', async () => {
    const { id } = world.ghost();
    await world.discover();
    lackTokens(1);
    expect(await world.confirmAll()).toEqual({ deleted: 1 });
    expect(steps.slice(-6)).toEqual(['turn', `find ${id}`, `delete ${id}`, 'turn', `find ${id}`, `delete ${id}`]);
  });

  test.each<[string, (id: number) => void, Record<string, number>]>([
    ['came online', (id) => world.change(id, { status: 'online' }), { cameOnline: 1 }],
    ['got a job', (id) => world.change(id, { busy: true }), { stuckBusy: 1 }],
    ['moved', (id) => world.change(id, { groupKey: '7' }), { moved: 1 }],
    ['went', (id) => world.remove(id), { alreadyGone: 1 }],
  ])('is not repeated when the runner %s meanwhile', async (_, meanwhile, expected) => {
    const { id } = world.ghost();
    await world.discover();
    lackTokens(1, () => meanwhile(id));
    expect(await world.confirmAll()).toEqual(expected);
    expect(world.deleted).toEqual([]);
  });

  test('goes back to the queue when it lacks one again and again, and the next one is not held up', async () => {
    const [first, second] = [world.ghost(), world.ghost()];
    await world.discover();
    lackTokens(4);
    expect(await world.confirmAll()).toEqual({ unknown: 1, deleted: 1 });
    expect(steps.filter((what) => what === `delete ${first.id}`)).toHaveLength(4);
    expect(world.deleted).toEqual([second.id]);
  });

  test('on a host whose answers name no group, the registration is still read last', async () => {
    world.namesGroups = false;
    const { id } = world.ghost();
    await world.discover();
    lackTokens(1);
    expect(await world.confirmAll()).toEqual({ deleted: 1 });
    expect(steps.slice(-3)).toEqual([`find ${id}`, `find ${id}`, `delete ${id}`]);
  });

  test('is not repeated when the time is up', async () => {
    world.ghost();
    await world.discover();
    lackTokens(1, () => { world.now += 115_000; });
    expect(await world.confirmAll()).toEqual({ unknown: 1 });
    expect(world.deleted).toEqual([]);
  });
});

test('a dry run writes nothing and waits for no turn', async () => {
  world.policy = { ...world.policy, dryRun: true };
  world.ghost();
  await world.discover();
  const steps: string[] = [];
  world.before = (what) => { steps.push(what); };
  expect(await world.confirmAll()).toEqual({ wouldDelete: 1 });
  expect(steps).not.toContain('turn');
});

test('nothing is started when the time is up, and the messages go back', async () => {
  Array.from({ length: 3 }, () => world.ghost());
  await world.discover();
  world.now += 15 * MINUTE;
  world.before = (what) => { if (what === 'turn') world.now += 2000; };
  const { outcomes, returned } = await world.confirm(world.queue, 15);
  expect({ outcomes, returned }).toEqual({ outcomes: { deleted: 2, unknown: 1 }, returned: [2] });
});

test('a deletion costs two requests, and one more for each batch and group', async () => {
  Array.from({ length: 20 }, () => world.ghost());
  await world.discover();
  world.requests = [];
  world.lookups = [];
  await world.confirmAll();
  expect(world.requests).toHaveLength(2 * 20 + 2);
  expect(world.lookups).toHaveLength(2);
});

test('a message that is not in the batch goes back to the queue', async () => {
  const batch = await openBatch(world.ports(120), world.policy, []);
  expect(await batch.settle('another')).toBe(false);
});

test('a message that comes of age while its batch is worked on is postponed all the same: nobody has looked up its machine', async () => {
  const [first, second] = [world.ghost(), world.ghost()];
  await world.discover();
  world.now += 15 * MINUTE;
  world.before = (what) => { if (what === `find ${first.id}`) world.now += 2000; };
  const [old, young] = [world.message(first), { ...world.message(second), sentAt: world.now - 15 * MINUTE + 1000 }];
  expect(await world.confirm([old, young])).toMatchObject({ outcomes: { deleted: 1, tooEarly: 1 }, returned: [1] });
  expect(world.postponed).toEqual([1]);
});

describe('a nomination', () => {
  const nominate = async (name: string) => {
    world.now += 16 * MINUTE;
    return (await world.confirm([world.nomination(name)])).outcomes;
  };

  test('deletes when the second look itself sees the machine terminated', async () => {
    const { id, name } = world.ghost();
    world.machines.set(machineId(id), 'terminated');
    expect(await nominate(name)).toEqual({ deleted: 1 });
  });

  test.each(['absent', 'present', 'unknown'] as const)('does nothing, and asks GitHub nothing, when the machine is %s', async (state) => {
    const { id, name } = world.ghost();
    world.machines.set(machineId(id), state);
    await nominate(name);
    expect(world.deleted).toEqual([]);
    expect(world.requests).toEqual([]);
  });

  test('of a registration in a group that is not configured is out of scope', async () => {
    const { id, name } = world.add({ groupKey: '9' });
    world.machines.set(machineId(id), 'terminated');
    expect(await nominate(name)).toEqual({ outOfScope: 1 });
  });

  test('of a name that nobody bears any more is settled', async () => {
    world.machines.set(machineId(5), 'terminated');
    expect(await nominate(runnerName(5))).toEqual({ alreadyGone: 1 });
  });

  test('of a name that is not ours asks nobody', async () => {
    expect(await nominate('s390x-7')).toEqual({ outOfScope: 1 });
    expect([...world.requests, ...world.lookups]).toEqual([]);
  });
});
