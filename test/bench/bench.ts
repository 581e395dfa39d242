import { Bounds } from './bounds';
import { benchBundleLoads } from './bundle-loads';
import { benchJanitor } from './janitor-cost';
import { benchMemory } from './memory';

/** Counts and ratios against the bounds of the design; no absolute time is judged, because machines differ. */
async function main(): Promise<number> {
  const bounds = new Bounds();
  for (const registrations of [1_000, 10_000, 100_000]) await benchJanitor(bounds, registrations);
  await benchMemory(bounds, 1_000, 100_000);
  benchBundleLoads(bounds);
  return bounds.conclude();
}

main().then(
  (code) => { process.exitCode = code; },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
