import { keepsTheExecutionsContract } from './executions-contract';
import { keepsTheLedgerContract } from './ledger-contract';
import { MemoryExecutions, MemoryLedger } from './memory-ports';

// other tests prove something only if these behave like the real ones

describe('the ledger in memory', () => {
  keepsTheLedgerContract(() => {
    let now = Date.parse('2026-05-01T10:10:00Z');
    return { ledger: new MemoryLedger(() => now), passHours: (hours) => void (now += hours * 3_600_000) };
  });
});

describe('the state machine in memory', () => {
  keepsTheExecutionsContract(() => {
    const executions = new MemoryExecutions();
    return {
      executions,
      end: (name, life) => void executions.all.set(name, { ...executions.all.get(name)!, life, endedAt: 5 }),
      wait: async () => {},
    };
  });
});
