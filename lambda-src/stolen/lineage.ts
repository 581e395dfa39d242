import { createHash } from 'node:crypto';
import type { Executions, Ledger } from './ports';
import { MAX_RUNNER_NAME_LENGTH } from '../../src/contract/limits';

/** A runner and how many replacements came before it: 0 is the one that the runner stack started. */
export interface Lineage {
  readonly base: string;
  readonly position: number;
}

const SUFFIX = /^(.+)-r([1-9])$/;
const HASH_LENGTH = 8;

/** `<base>-r<N>`, as cdk-github-runners names them too; where GitHub allows no more room, a hash keeps two long names apart. */
export function replacementName(base: string, position: number): string {
  const suffix = `-r${position}`;
  if (base.length + suffix.length <= MAX_RUNNER_NAME_LENGTH) return base + suffix;
  const hash = createHash('sha256').update(base).digest('hex').slice(0, HASH_LENGTH);
  return `${base.slice(0, MAX_RUNNER_NAME_LENGTH - suffix.length - HASH_LENGTH - 1)}-${hash}${suffix}`;
}

/**
 * Where a runner stands in its lineage. A suffix counts as ours only if the base is an execution with the same input: a
 * repository or a delivery may well be called `x-r3`.
 */
export async function lineageOf(
  runner: { readonly name: string; readonly input: string; readonly jobId: number },
  ports: { readonly executions: Pick<Executions, 'find'>; readonly ledger: Pick<Ledger, 'job'> },
): Promise<Lineage> {
  const native = { base: runner.name, position: 0 };
  const [, stripped, digit] = SUFFIX.exec(runner.name) ?? [];
  if (stripped === undefined) return native;
  const position = Number(digit);
  const hasSameInput = async (base: string) => (await ports.executions.find(base))?.input === runner.input;

  if (replacementName(stripped, position) === runner.name && await hasSameInput(stripped)) return { base: stripped, position };
  // a cut name does not tell its base, but both were started for the same job
  if (runner.name.length < MAX_RUNNER_NAME_LENGTH) return native;
  const siblings = (await ports.ledger.job(runner.jobId))?.runners ?? [];
  const base = siblings.find((sibling) => sibling !== runner.name && replacementName(sibling, position) === runner.name);
  return base !== undefined && await hasSameInput(base) ? { base, position } : native;
}
