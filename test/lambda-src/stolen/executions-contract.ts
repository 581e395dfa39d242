import type { Executions } from '../../../lambda-src/stolen/ports';

export interface ExecutionsUnderTest {
  readonly executions: Executions;
  /** ends a running execution */
  end(name: string, life: 'succeeded' | 'failed'): void;
  /** lets a moment pass, as it does between two calls in real life */
  wait(): Promise<void>;
}

/** What every state machine keeps, the real one and the one that tests stand on. */
export function keepsTheExecutionsContract(make: () => ExecutionsUnderTest): void {
  const INPUT = '{"jobId":  1}';

  test('an execution that was never started is not there', async () => {
    expect(await make().executions.find('R1')).toBeUndefined();
  });

  test('a started execution runs, with its input byte for byte', async () => {
    const { executions } = make();

    expect(await executions.start('R1', INPUT)).toBe('started');
    expect(await executions.find('R1')).toEqual({ name: 'R1', input: INPUT, life: 'running', endedAt: undefined });
  });

  test('the same start again changes nothing, while it runs and after it', async () => {
    const { executions, end, wait } = make();
    await executions.start('R1', INPUT);
    await wait();
    expect(await executions.start('R1', INPUT)).toBe('alreadyStarted');
    end('R1', 'succeeded');

    expect(await executions.start('R1', INPUT)).toBe('alreadyStarted');
  });

  test('a name that runs, or ran, with another input is taken', async () => {
    const { executions, end, wait } = make();
    await executions.start('R1', INPUT);
    await wait();
    expect(await executions.start('R1', '{"jobId":1}')).toBe('taken');
    end('R1', 'failed');

    expect(await executions.start('R1', '{"jobId":1}')).toBe('taken');
  });

  test.each(['succeeded', 'failed'] as const)('an execution that has %s says when', async (life) => {
    const { executions, end } = make();
    await executions.start('R1', INPUT);
    end('R1', life);

    expect(await executions.find('R1')).toEqual({ name: 'R1', input: INPUT, life, endedAt: expect.any(Number) });
  });
}
