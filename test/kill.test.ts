import { LOOKS } from './support/fault-matrix/cell';
import { inject } from './support/fault-matrix/inject';
import { MatrixStage } from './support/fault-matrix/matrix-stage';
import type { Look, OutboundCall } from './support/fault-matrix/outbound-call';
import { OUTBOUND_CALLS } from './support/fault-matrix/outbound-call';

/**
 * `kill -9` of a function's process at each request that it sends: the request takes effect, and its sender never hears of it. To be
 * killed before a request takes effect is to be killed while waiting for the one before.
 */

jest.setTimeout(60_000);

interface Moment {
  readonly look: Look;
  readonly call: OutboundCall;
  /** counts from 1 */
  readonly nth: number;
}

const MOMENTS: readonly Moment[] = LOOKS.flatMap((look) => OUTBOUND_CALLS.flatMap((call) => (
  Array.from({ length: call.requests[look] }, (_, index) => ({ look, call, nth: index + 1 }))
)));

let matrix: MatrixStage;
beforeAll(async () => { matrix = await MatrixStage.start(); });
afterAll(async () => matrix.stop());

/** Runs the work of one look; if it is this one, its function is killed at that moment. */
async function killedIn<T>(now: Look, { look, call, nth }: Moment, work: () => Promise<T>): Promise<T> {
  if (look !== now) return work();
  const victim = look === 'first' ? matrix.discovery : matrix.confirmation;
  // a cold start, so that logging in is among the requests
  await victim.kill();
  victim.results.length = 0;
  const kill = () => void victim.kill();
  const fault = inject({ call, fault: { name: 'kill -9', onGitHub: () => kill, onAws: () => kill }, times: 1, skip: nth - 1 }, matrix);
  const result = await work();
  fault.clear();
  expect(fault.hits).toBe(1);
  expect(victim.results.filter(({ kind }) => kind === 'died')).toHaveLength(1);
  return result;
}

const title = ({ look, call, nth }: Moment) => `${look} look, ${call.name}${call.requests[look] > 1 ? `, number ${nth}` : ''}`;

describe('a function that is killed at a request has its work finished by the next run, which deletes nothing wrong:', () => {
  test.each(MOMENTS.map((moment) => [title(moment), moment] as const))('%s', async (_, moment) => {
    await matrix.begin(moment.call.early);
    await killedIn('first', moment, () => matrix.firstLook());
    await matrix.betweenLooks();
    await killedIn('second', moment, () => matrix.secondLook());
    const { first, lost } = await matrix.nextRun();
    expect(first).toMatchObject({ kind: 'returned' });
    expect(lost).toEqual([]);
    expect(matrix.ghostsLeft).toEqual([]);
    expect(await matrix.drain()).toEqual([]);
    expect(await matrix.wrongs()).toEqual([]);
  });
});
