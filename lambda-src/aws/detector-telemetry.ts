import type { Telemetry } from './telemetry';
import type { DetectorCounts } from '../../src/contract/detector-metrics';
import { DETECTOR_METRICS } from '../../src/contract/detector-metrics';

/** Emits counts under the names that the contract gives them. */
export function countDetections(tell: Pick<Telemetry, 'count'>, counts: DetectorCounts): void {
  const keys = Object.keys(counts) as (keyof DetectorCounts)[];
  tell.count(Object.fromEntries(keys.map((key) => [DETECTOR_METRICS[key], counts[key] ?? 0])));
}
