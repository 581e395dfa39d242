import { Bounds } from './bounds';
import { benchBundleLoads } from './bundle-loads';
import { benchDetector } from './detector-cost';
import { benchDrain } from './drain';
import { benchJanitor } from './janitor-cost';
import { benchMemory } from './memory';
import { benchSynth } from './synth-cost';
import { QUOTA_RESERVE_DEFAULT } from '../../src/contract/limits';

/** Counts and ratios against the bounds of the design; no absolute time is judged, because machines differ. */
async function main(): Promise<number> {
  const bounds = new Bounds();
  for (const registrations of [1_000, 10_000, 100_000]) await benchJanitor(bounds, registrations);
  await benchMemory(bounds, 1_000, 100_000);
  await benchDetector(bounds);
  benchBundleLoads(bounds);
  benchSynth(bounds);
  await benchDrain(bounds, 1, QUOTA_RESERVE_DEFAULT);
  await benchDrain(bounds, 3, QUOTA_RESERVE_DEFAULT);
  // three Apps could serve more than the janitor ever asks of them; with a reserve like this the quota decides again
  await benchDrain(bounds, 3, 0.6);
  return bounds.conclude();
}

main().then(
  (code) => { process.exitCode = code; },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
