import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cell } from './support/fault-matrix/cell';
import { CELLS } from './support/fault-matrix/cell';
import { matrixDocument } from './support/fault-matrix/matrix-document';
import { MatrixRun } from './support/fault-matrix/matrix-run';
import { MatrixStage } from './support/fault-matrix/matrix-stage';
import type { Look } from './support/fault-matrix/outbound-call';
import { countRequests, OUTBOUND_CALLS } from './support/fault-matrix/outbound-call';

/** Every call of both looks x everything that can go wrong with it, on the synthesised template and the bundled handlers. */

const DOCUMENT = join(__dirname, '../docs/fault-matrix.md');

/** So many cells are played at the same time: each spends most of its time waiting. */
const LANES = 3;

jest.setTimeout(600_000);

describe('an undisturbed run', () => {
  /** Calls that the poller makes with the function's permissions. */
  const OF_THE_POLLER = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

  let matrix: MatrixStage;
  beforeAll(async () => { matrix = await MatrixStage.start(); });
  afterAll(async () => matrix.stop());

  /** Requests of each kind, and of no known kind, during the work. */
  async function countDuring(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const { github, cloud: { gateway: { recorder } } } = matrix.stage;
    const counts = () => OUTBOUND_CALLS.map((call) => countRequests(call, matrix.stage));
    const all = () => github.requests.length + recorder.calls.filter(({ action }) => !OF_THE_POLLER.includes(action)).length;
    const [before, allBefore] = [counts(), all()];
    await work();
    const difference = counts().map((count, index) => count - before[index]!);
    const known = difference.reduce((sum, count) => sum + count, 0);
    return { ...Object.fromEntries(OUTBOUND_CALLS.map(({ name }, index) => [name, difference[index]!])), others: all() - allBefore - known };
  }

  const expected = (look: Look) => ({ ...Object.fromEntries(OUTBOUND_CALLS.map(({ name, requests }) => [name, requests[look]])), others: 0 });

  test('makes the calls of the matrix as often as they are listed there, and no other ones, and deletes exactly the ghosts', async () => {
    // candidates that come too early make the second look do everything that it can do
    await matrix.begin(true);
    expect(await countDuring(() => matrix.firstLook())).toEqual(expected('first'));
    await matrix.betweenLooks();
    expect(matrix.ghostsLeft).toHaveLength(5);
    expect(await countDuring(() => matrix.secondLook())).toEqual(expected('second'));
    expect(matrix.ghostsLeft).toEqual([]);
    expect(await matrix.wrongs()).toEqual([]);
  });
});

describe('a disturbed run deletes no wrong registration, loses no ghost and never hangs, and the ghosts go when the fault is over:', () => {
  const title = ({ call, fault, look, duration }: Cell) => `${look} look, ${call.name}: ${fault.name}, ${duration}`;

  let run: MatrixRun;
  beforeAll(() => { run = MatrixRun.start(CELLS, LANES); });
  afterAll(async () => run.stop());

  test.each(CELLS.map((cell) => [title(cell), cell] as const))('%s', async (_, cell) => {
    expect((await run.result(cell)).wrongs).toEqual([]);
  });

  test('no part of a key or of a token is in any log line', async () => {
    await run.finish();
    expect(run.leaks).toEqual([]);
  });

  test('docs/fault-matrix.md says what happened', async () => {
    const words = new Map(await Promise.all(CELLS.map(async (cell) => [cell, (await run.result(cell)).words] as const)));
    const document = matrixDocument((cell) => words.get(cell)!);
    // as a snapshot: written only with -u
    if (expect.getState().snapshotState?._updateSnapshot === 'all') writeFileSync(DOCUMENT, document);
    expect(document).toBe(readFileSync(DOCUMENT, 'utf8'));
  });
});
