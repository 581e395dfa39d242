import type { Bounds } from './bounds';
import { runFunction } from './function-run';
import { withJanitor } from './janitor-stage';
import { DISCOVERY } from '../../src/contract/limits';

/** A first look holds about 22 MiB of objects at a time; one that collected the fleet would not get through with this. */
const LITTLE_HEAP = '--max-old-space-size=32 --max-semi-space-size=1';

const MOST = 1.2;

/**
 * What the first look needs, whatever the size of the fleet. Both processes get the same little heap: with room to spare V8 lets
 * garbage lie, the more the longer a process runs, and the peak would tell the room instead of the need.
 */
export async function benchMemory(bounds: Bounds, few: number, many: number): Promise<void> {
  bounds.section(`Memory that the first look needs (heap limited by ${LITTLE_HEAP})`);
  const [need, needOfMany] = [await peakOf(few), await peakOf(many)];
  bounds.note(`peak at ${few.toLocaleString('en-US')} registrations`, need / 2 ** 20, ' MiB');
  bounds.note(`peak at ${many.toLocaleString('en-US')} registrations`, needOfMany / 2 ** 20, ' MiB');
  bounds.atMost('the latter, times the former', needOfMany / need, MOST);
}

async function peakOf(registrations: number): Promise<number> {
  let peak = 0;
  await withJanitor(registrations, async ({ environment, clock }) => {
    const run = await runFunction('discovery.lambda', {}, { ...environment, NODE_OPTIONS: LITTLE_HEAP }, clock, DISCOVERY.timeoutSeconds * 1000);
    peak = run.peakBytes;
  });
  return peak;
}
