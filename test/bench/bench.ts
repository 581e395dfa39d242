import { Bounds } from './bounds';
import { benchBundleLoads } from './bundle-loads';
import { benchJanitor } from './janitor-cost';

const SIZES = [1_000, 10_000, 100_000] as const;

/** Counts and ratios against the bounds of the design; no absolute time is judged, because machines differ. */
async function main(): Promise<number> {
  const bounds = new Bounds();
  const peaks = new Map<number, number>();
  for (const size of SIZES) peaks.set(size, await benchJanitor(bounds, size));
  bounds.section('Memory');
  bounds.atMost('peak memory at 100,000 registrations, times that at 1,000', peaks.get(100_000)! / peaks.get(1_000)!, 1.2);
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
