import type { Cell } from './cell';
import { MatrixStage } from './matrix-stage';
import type { CellResult } from './play-cell';
import { playCell } from './play-cell';

/** Plays cells on several stages side by side, each of which takes the next cell when it has finished one. */
export class MatrixRun {
  static start(cells: readonly Cell[], lanes: number): MatrixRun {
    const run = new MatrixRun(cells);
    run.lanes = Promise.all(Array.from({ length: lanes }, () => run.play()));
    return run;
  }

  /** log lines with a piece of a key or a token in them */
  readonly leaks: string[] = [];
  private readonly pending: Cell[];
  private readonly outcomes: ReadonlyMap<Cell, Outcome>;
  private lanes: Promise<unknown> = Promise.resolve();

  private constructor(cells: readonly Cell[]) {
    this.pending = [...cells];
    this.outcomes = new Map(cells.map((cell) => [cell, new Outcome()]));
  }

  async result(cell: Cell): Promise<CellResult> {
    return this.outcomes.get(cell)!.promise;
  }

  /** Resolves when every stage has finished its last cell and is gone. */
  async finish(): Promise<void> {
    await this.lanes;
  }

  /** Takes no further cell. */
  async stop(): Promise<void> {
    this.pending.length = 0;
    await this.finish();
  }

  private async play(): Promise<void> {
    let stage: MatrixStage | undefined;
    for (let cell = this.pending.shift(); cell; cell = this.pending.shift()) {
      const outcome = this.outcomes.get(cell)!;
      try {
        stage ??= await MatrixStage.start();
        const result = await playCell(stage, cell);
        outcome.resolve(result);
        if (result.wrongs.length === 0) continue;
      } catch (error) {
        outcome.reject(error);
      }
      // what is left behind must not fail other cells as well
      await this.close(stage);
      stage = undefined;
    }
    await this.close(stage);
  }

  private async close(stage: MatrixStage | undefined): Promise<void> {
    if (!stage) return;
    this.leaks.push(...stage.leaks);
    await stage.stop();
  }
}

class Outcome {
  resolve!: (result: CellResult) => void;
  reject!: (error: unknown) => void;
  readonly promise = new Promise<CellResult>((resolve, reject) => Object.assign(this, { resolve, reject }));

  constructor() {
    // a cell may fail long before its test asks for it
    this.promise.catch(() => undefined);
  }
}
