import type { Sent } from '../../support/janitor/world';
import { MINUTE, World } from '../../support/janitor/world';

/** Messages that say by themselves what becomes of them: nobody is asked anything for their sake. */

let world: World;
beforeEach(() => {
  world = new World();
  world.now += 60 * MINUTE;
});

const cases: Record<string, (message: Sent) => Sent> = {
  malformed: (message) => ({ ...message, body: '{' }),
  outOfScope: (message) => ({ ...message, body: message.body.replace('digest', 'another') }),
  nominatedInDryRun: (message) => ({ ...message, body: message.body.replace('armed', 'dryRun') }),
  expired: (message) => ({ ...message, sentAt: world.now - 25 * 60 * MINUTE }),
  tooEarly: (message) => ({ ...message, sentAt: world.now }),
  protected: (message) => {
    world.policy = { ...world.policy, acknowledgedForeignRunners: [(JSON.parse(message.body) as { runner: { name: string } }).runner.name] };
    return message;
  },
};

test.each(Object.entries(cases))('one that is %s costs no request and no look-up', async (outcome, change) => {
  const message = change(world.message(world.ghost()));
  expect((await world.confirm([message])).outcomes).toEqual({ [outcome]: 1 });
  expect([...world.requests, ...world.lookups]).toEqual([]);
});

test('the others of its batch are asked for, and only they', async () => {
  const ghost = world.ghost();
  const decided = world.message(world.ghost(), { scope: 'another', group: { key: '2', name: 'another', pages: 1 } });
  expect((await world.confirm([decided, world.message(ghost)])).outcomes).toEqual({ outOfScope: 1, deleted: 1 });
  expect(world.requests).toEqual(['page 1 1', `find ${ghost.id}`, `delete ${ghost.id}`]);
  expect(world.lookups).toHaveLength(1);
  expect(world.lookups.flat()).toHaveLength(1);
});
