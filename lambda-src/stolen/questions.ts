import type { Execution, Executions, KnownPickUp, Ledger, RecordedJob } from './ports';

/** The questions of one batch. Each is asked once, however many reports need the answer. */
export interface Questions {
  execution(name: string): Promise<Execution | undefined>;
  job(jobId: number): Promise<RecordedJob | undefined>;
  pickUp(runnerName: string): Promise<KnownPickUp | undefined>;
}

export function askOnce(executions: Pick<Executions, 'find'>, ledger: Pick<Ledger, 'job' | 'pickUp'>): Questions {
  return {
    execution: once((name: string) => executions.find(name)),
    job: once((jobId: number) => ledger.job(jobId)),
    pickUp: once((runnerName: string) => ledger.pickUp(runnerName)),
  };
}

function once<K, V>(ask: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const answers = new Map<K, Promise<V>>();
  return (key) => {
    const known = answers.get(key) ?? ask(key);
    answers.set(key, known);
    return known;
  };
}
