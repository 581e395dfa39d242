import type { OurRunner } from './finding';
import { lineageOf, replacementName } from './lineage';
import type { Executions, Ledger } from './ports';

export interface ReplacePorts {
  readonly executions: Executions;
  readonly ledger: Pick<Ledger, 'job' | 'recordRunner' | 'claimReplacement'>;
  readonly maxReplacements: number;
  readonly maxReplacementsPerHour: number;
  readonly observeOnly: boolean;
}

export type Replacement =
  | { readonly kind: 'replaced' | 'alreadyReplaced' | 'observed' | 'capReached'; readonly name: string }
  | { readonly kind: 'gaveUp' };

/**
 * Starts one runner for the job of a robbed one: the same input under the next name of its lineage. Whether that job is still
 * queued is not asked: when jobs were swapped somebody else runs it, and still one runner is missing.
 */
export async function replace({ execution: { name: robbed, input }, own }: OurRunner, ports: ReplacePorts): Promise<Replacement> {
  const { base, position } = await lineageOf({ name: robbed, input, jobId: own.id }, ports);
  for (let next = position + 1; next <= ports.maxReplacements; next += 1) {
    const name = replacementName(base, next);
    if (ports.observeOnly) return { kind: 'observed', name };
    if (!await ports.ledger.claimReplacement(name, ports.maxReplacementsPerHour)) return { kind: 'capReached', name };
    // before it starts: it may be at work before the next line is reached
    await ports.ledger.recordRunner({ jobId: own.id, runnerName: name, labels: own.labels });
    const answer = await ports.executions.start(name, input);
    if (answer === 'started') return { kind: 'replaced', name };
    if (answer === 'alreadyStarted') return { kind: 'alreadyReplaced', name };
    // the name is a stranger's: the next one of the lineage will do
  }
  return { kind: 'gaveUp' };
}
