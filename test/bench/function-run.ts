import { join } from 'node:path';
import { ClockedProcess } from '../support/cloud/clocked-process';
import type { VirtualClock } from '../support/cloud/virtual-clock';

export interface FunctionRun {
  readonly result: unknown;
  /** of the whole process, loading included */
  readonly peakBytes: number;
}

interface Answer {
  readonly requestId: string;
  readonly result?: unknown;
  readonly error?: { readonly trace: string };
  readonly peakBytes: number;
}

/** Runs a bundled handler once, in a fresh process. The pauses between its writes are shortened from outside. */
export async function runFunction(
  handler: string, event: unknown, environment: Readonly<Record<string, string>>, clock: VirtualClock, milliseconds: number,
): Promise<FunctionRun> {
  const lines: string[] = [];
  const child = new ClockedProcess(join(__dirname, 'measured-handler.cjs'), {
    args: ['index.handler'],
    cwd: join(__dirname, '../../assets', handler),
    env: { PATH: process.env.PATH ?? '', ...environment },
    clock,
    compression: 100,
    onLine: (line) => void lines.push(line),
  });
  const answered = child.receive((message) => (message.requestId === handler ? message as unknown as Answer : undefined));
  child.send({ invoke: { requestId: handler, event, functionName: handler, functionArn: handler, memoryMiB: 512, milliseconds } });
  const answer = await answered;
  await child.kill();
  if (!answer || answer.error) throw new Error(`${handler} failed: ${answer?.error?.trace ?? 'the process died'}\n${lines.slice(-20).join('\n')}`);
  return { result: answer.result, peakBytes: answer.peakBytes };
}
