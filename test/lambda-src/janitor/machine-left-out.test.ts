import { parseCandidate } from '../../../lambda-src/janitor/candidate';
import { ConfiguredGroups } from '../../../lambda-src/janitor/configured-groups';
import { ConfirmationBatch } from '../../../lambda-src/janitor/confirm';
import type { SampleProof } from '../../../lambda-src/janitor/sample-proof';
import { machineId, MINUTE, World } from '../../support/janitor/world';

/** The sample names every machine and every group today; whatever it should leave out counts as unknown. */
test.each<[string, (machine: string) => Pick<SampleProof, 'states' | 'proofs'>, Record<string, number>]>([
  ['names neither the machine nor the group', () => ({ states: new Map(), proofs: new Map() }), { unknown: 1 }],
  ['leaves the machine out', () => ({ states: new Map(), proofs: new Map([['1', 'holds']]) }), { unknown: 1 }],
  ['leaves the group out', (machine) => ({ states: new Map([[machine, 'absent']]), proofs: new Map() }), { unknown: 1 }],
  ['names both', (machine) => ({ states: new Map([[machine, 'absent']]), proofs: new Map([['1', 'holds']]) }), { deleted: 1 }],
])('a second look whose sample %s', async (_, sample, expected) => {
  const world = new World();
  const ghost = world.ghost();
  world.now += 20 * MINUTE;
  const { body, sentAt } = world.message(ghost);
  const message = { body, sentAt, messageId: 'm', receiptHandle: 'r', fromFirstLook: true };
  const ports = world.ports(120);
  const machine = machineId(ghost.id);
  const opened = [{ message, candidate: parseCandidate(body), machine, verdict: undefined }];
  const batch = new ConfirmationBatch(ports, world.policy, opened, { ...sample(machine), goneGroups: new Set() }, new ConfiguredGroups(ports));
  expect(await batch.settle('m')).toBe('deleted' in expected);
  expect(batch.report.outcomes).toEqual(expected);
});
