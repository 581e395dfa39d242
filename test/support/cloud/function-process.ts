import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ClockedProcess } from './clocked-process';
import type { DeclaredFunction } from './declared';
import type { VirtualClock } from './virtual-clock';

export type InvocationResult =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly errorType: string; readonly errorMessage: string; readonly trace?: string }
  /** killed by the timeout that the template declares, by `kill -9`, or ended by itself */
  | { readonly kind: 'timedOut' | 'died' };

export interface FunctionProcessOptions {
  readonly declared: DeclaredFunction;
  /** what Lambda and the local cloud add to the environment of the template */
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: VirtualClock;
  readonly compression: number;
  readonly onLine: (line: string) => void;
}

/** One execution environment of a function: a process that has loaded the bundle and stays warm from one invocation to the next. */
export class FunctionProcess {
  private readonly process: ClockedProcess;
  private busy = false;
  /** streams of which the last line of the present invocation has not been read yet */
  private open: { readonly lastLine: string; streams: number; readonly closed: () => void } | undefined;

  constructor(private readonly options: FunctionProcessOptions) {
    const { declared, environment, clock, compression, onLine } = options;
    this.process = new ClockedProcess(join(__dirname, 'lambda-runtime.cjs'), {
      args: [declared.handler],
      // what the template says wins, as it would at AWS for everything but reserved names
      env: { ...environment, ...declared.environment },
      cwd: declared.folder,
      clock,
      compression,
      onLine: (line) => this.read(line, onLine),
    });
  }

  get isIdle(): boolean {
    return this.process.isRunning && !this.busy;
  }

  get isRunning(): boolean {
    return this.process.isRunning;
  }

  async invoke(event: unknown): Promise<InvocationResult> {
    const { name, arn, memoryMiB, timeoutSeconds } = this.options.declared;
    this.busy = true;
    const requestId = randomUUID();
    const logged = new Promise<void>((resolve) => { this.open = { lastLine: `END RequestId: ${requestId}`, streams: 2, closed: resolve }; });
    const answered = this.process.receive((message) => (message.requestId === requestId ? message : undefined));
    this.process.send({ invoke: { requestId, event, functionName: name, functionArn: arn, memoryMiB, milliseconds: timeoutSeconds * 1000 } });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      void this.kill();
    }, timeoutSeconds * 1000);
    try {
      const message = await answered;
      if (message === undefined) return { kind: timedOut ? 'timedOut' : 'died' };
      // the answer may overtake the log
      await Promise.race([logged, this.process.exited]);
      if (message.error === undefined) return { kind: 'returned', value: message.result };
      return { kind: 'threw', ...message.error as { errorType: string; errorMessage: string; trace?: string } };
    } finally {
      clearTimeout(timer);
      this.busy = false;
    }
  }

  private read(line: string, onLine: (line: string) => void): void {
    if (line !== this.open?.lastLine) onLine(line);
    else if (--this.open.streams === 0) this.open.closed();
  }

  async kill(): Promise<void> {
    await this.process.kill();
  }
}
