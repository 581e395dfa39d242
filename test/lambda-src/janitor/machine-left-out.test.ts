import type * as sample from '../../../lambda-src/janitor/sample-proof';
import { MINUTE, World } from '../../support/janitor/world';

/** The sample's own code names every machine, so it has to be replaced to show that whatever it leaves out counts as unknown. */
jest.mock('../../../lambda-src/janitor/sample-proof', () => ({ sampleProof: async () => mockSample }));

type Proofs = Awaited<ReturnType<typeof sample.sampleProof>>;
let mockSample: Proofs;

test.each<[string, Pick<Proofs, 'states' | 'proofs'>, Record<string, number>]>([
  ['names neither the machine nor the group', { states: new Map(), proofs: new Map() }, { unknown: 1 }],
  ['leaves the machine out', { states: new Map(), proofs: new Map([['1', 'holds']]) }, { unknown: 1 }],
  ['leaves the group out', { states: new Map([['i-00000000000000001', 'absent']]), proofs: new Map() }, { unknown: 1 }],
  ['names both', { states: new Map([['i-00000000000000001', 'absent']]), proofs: new Map([['1', 'holds']]) }, { deleted: 1 }],
])('a second look whose sample %s', async (_, given, expected) => {
  const world = new World();
  mockSample = { ...given, goneGroups: new Set() } as Proofs;
  const ghost = world.ghost();
  world.now += 20 * MINUTE;
  const { outcomes, returned } = await world.confirm([world.message(ghost)]);
  expect(outcomes).toEqual(expected);
  expect(returned).toEqual('unknown' in expected ? [0] : []);
});
