import type { Cell } from './cell';
import { HANG_SECONDS, inject } from './inject';
import type { MatrixStage } from './matrix-stage';

export interface CellResult {
  /** what became of the ghosts that were not deleted in the same run */
  readonly words: string;
  /** what must not have happened; empty when all is well */
  readonly wrongs: readonly string[];
}

/** Further runs that a fault may cost once it is over. */
const MOST_FURTHER_RUNS = 2;

/** One run with the fault in one of its looks, and as many without as it takes until the ghosts are gone. */
export async function playCell(matrix: MatrixStage, cell: Cell): Promise<CellResult> {
  await matrix.begin(cell.call.early);
  const first = await disturbed(matrix, cell, 'first', () => matrix.firstLook());
  await matrix.betweenLooks();
  await disturbed(matrix, cell, 'second', () => matrix.secondLook());

  const retried = (await matrix.queued()).length;
  const foundAgain = matrix.ghostsLeft.length - retried;
  const wrongs: string[] = [];
  if (first.kind !== 'returned' && first.kind !== 'threw') wrongs.push(`the first look ${first.kind}`);
  if (matrix.confirmation.results.splice(0).some(({ kind }) => kind !== 'returned')) wrongs.push('the second look failed its invocation');

  let runs = 0;
  for (; matrix.ghostsLeft.length > 0 && runs < MOST_FURTHER_RUNS; runs++) {
    const { lost } = await matrix.nextRun();
    wrongs.push(...lost.map(({ name }) => `lost: ${name} is neither deleted nor queued after the next first look`));
  }
  wrongs.push(...matrix.ghostsLeft.map(({ name }) => `still there after ${runs} further runs: ${name}`));
  wrongs.push(...(await matrix.drain()).map((body) => `left on the queue: ${body}`), ...await matrix.wrongs());
  return { words: words({ retried, foundAgain, runs, loud: first.kind === 'threw' }), wrongs };
}

async function disturbed<T>(matrix: MatrixStage, { call, fault, look, duration }: Cell, now: Cell['look'], work: () => Promise<T>): Promise<T> {
  if (look !== now) return work();
  if (call.remembered) await (look === 'first' ? matrix.discovery : matrix.confirmation).kill();
  const handle = inject({ call, fault, ...(duration === 'once' && { times: 1 }) }, matrix);
  try {
    const result = await matrix.time.whileHanging(() => fault.name === 'hang' ? handle.hits : 0, HANG_SECONDS, work());
    if (handle.hits === 0) throw new Error(`the ${look} look did not ${call.name}, so nothing was disturbed`);
    return result;
  } finally {
    handle.clear();
  }
}

interface Counts {
  readonly retried: number;
  readonly foundAgain: number;
  readonly runs: number;
  readonly loud: boolean;
}

function words({ retried, foundAgain, runs, loud }: Counts): string {
  const parts = [
    ...retried > 0 ? [`${retried} retried`] : [],
    ...foundAgain > 0 ? [`${foundAgain} found again`] : [],
    ...runs > 1 ? [`${runs} runs`] : [],
    ...loud ? ['loud'] : [],
  ];
  return parts.join(', ') || 'ok';
}
