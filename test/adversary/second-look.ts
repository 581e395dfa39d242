import { openBatch } from '../../lambda-src/janitor/confirm';
import type { Registrations } from '../../lambda-src/janitor/ports';
import type { Sent } from '../support/janitor/world';
import { World } from '../support/janitor/world';

/** A second look with GitHub over sockets, and everything else from memory. */
export async function secondLook(now: number, registrations: Registrations, make: (world: World) => readonly Sent[], groupKeys?: readonly string[]) {
  const world = new World();
  world.now = now;
  const received = make(world).map((message, index) => ({ fromFirstLook: true, ...message, messageId: `m${index}`, receiptHandle: `r${index}` }));
  const batch = await openBatch({ ...world.ports(120), registrations }, { ...world.policy, groupKeys }, received);
  const done: boolean[] = [];
  for (const { messageId } of received) done.push(await batch.settle(messageId));
  return { outcomes: batch.report.outcomes, done };
}
