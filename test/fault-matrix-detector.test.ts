import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DURATIONS } from './support/fault-matrix/cell';
import { canHappen, FAULTS } from './support/fault-matrix/fault';
import type { TheftCell, TheftResult } from './support/fault-matrix/play-theft';
import { playTheft } from './support/fault-matrix/play-theft';
import { THEFT_CALLS } from './support/fault-matrix/theft-call';
import { theftDocument } from './support/fault-matrix/theft-document';
import { TheftStage } from './support/fault-matrix/theft-stage';

/** Every call of the detector x everything that can go wrong with it, on the synthesised template and the bundled handlers. */

const DOCUMENT = join(__dirname, '../docs/fault-matrix-detector.md');

/** A slow answer lets time pass for everybody, so that several at the same time would add up to what one of them alone never takes. */
const CELLS: readonly TheftCell[] = THEFT_CALLS.flatMap((call) => FAULTS.filter((fault) => canHappen(fault, call))
  .flatMap((fault) => DURATIONS.map((duration) => ({ call, fault, duration }))))
  .filter(({ fault, duration }) => fault.name !== 'slow' || duration === 'once');

jest.setTimeout(60_000);

let stage: TheftStage;
const results = new Map<TheftCell, TheftResult>();

beforeAll(async () => { stage = await TheftStage.start(); });
afterAll(() => stage.stop());

describe('a call that goes wrong never starts a runner for nobody, nor two for one, and the judge never fails its invocation:', () => {
  const title = ({ call, fault, duration }: TheftCell) => `${call.story}, ${call.name}: ${fault.name}, ${duration}`;

  test.each(CELLS.map((cell) => [title(cell), cell] as const))('%s', async (_, cell) => {
    const result = await playTheft(stage, cell);
    results.set(cell, result);
    expect(result.wrongs).toEqual([]);
  });
});

test('a theft is dropped only where a report cannot be queued, and where GitHub or the table denies something that exists', () => {
  const dropped = CELLS.filter((cell) => results.get(cell)!.words === 'dropped');
  const denied = dropped.filter(({ fault }) => fault.name === '404' || fault.name === 'wrong shape');
  expect(dropped.filter((cell) => !denied.includes(cell) && cell.call.name !== 'queue a report')).toEqual([]);
  expect(dropped.filter(({ call, duration }) => call.name === 'queue a report' && duration === 'once')).toEqual([]);
});

test('no part of a key or of a token is in any log line', () => {
  expect(stage.leaks).toEqual([]);
});

test('docs/fault-matrix-detector.md says what happened', () => {
  const document = theftDocument(results);
  // as a snapshot: written only with -u
  if (expect.getState().snapshotState?._updateSnapshot === 'all') writeFileSync(DOCUMENT, document);
  expect(document).toBe(existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : '');
});
