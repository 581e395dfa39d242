import type { DeclaredFunction } from './declared';
import { FunctionProcess, type FunctionProcessOptions, type InvocationResult } from './function-process';

/** A function of the template: as many processes as invocations run at the same time, and everything they have written. */
export class LocalFunction {
  readonly logs: string[] = [];
  readonly results: InvocationResult[] = [];
  private processes: FunctionProcess[] = [];
  private isGone = false;

  constructor(private readonly options: Omit<FunctionProcessOptions, 'onLine'>) {}

  get declared(): DeclaredFunction {
    return this.options.declared;
  }

  /** Structured log lines; whatever is not JSON is left out. */
  get records(): readonly Record<string, unknown>[] {
    return this.logs.flatMap((line) => {
      try {
        return [JSON.parse(line) as Record<string, unknown>];
      } catch {
        return [];
      }
    });
  }

  /** Sums of every metric written so far, read from the log as CloudWatch reads it (embedded metric format). */
  get metrics(): Readonly<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const record of this.records) {
      const { CloudWatchMetrics = [] } = (record._aws ?? {}) as { CloudWatchMetrics?: { Metrics: { Name: string }[] }[] };
      for (const { Name } of CloudWatchMetrics.flatMap(({ Metrics }) => Metrics)) {
        const values = [record[Name]].flat() as number[];
        sums[Name] = values.reduce((sum, value) => sum + value, sums[Name] ?? 0);
      }
    }
    return sums;
  }

  async invoke(event: unknown): Promise<InvocationResult> {
    this.processes = this.processes.filter(({ isRunning }) => isRunning);
    const process = this.processes.find(({ isIdle }) => isIdle) ?? this.start();
    const result = await process.invoke(event);
    this.results.push(result);
    return result;
  }

  /** As services do that do not wait for an answer: what fails is repeated as often as the template says, here without a pause. */
  async invokeAsync(event: unknown): Promise<InvocationResult> {
    let result = await this.invoke(event);
    for (let attempt = 0; result.kind !== 'returned' && attempt < this.declared.retryAttempts && !this.isGone; attempt += 1) result = await this.invoke(event);
    return result;
  }

  /** `kill -9` of every process, whatever it is doing. */
  async kill(): Promise<void> {
    await Promise.all(this.processes.splice(0).map((process) => process.kill()));
  }

  /** Takes the function away: whatever it is doing ends, and is not repeated. */
  async remove(): Promise<void> {
    this.isGone = true;
    await this.kill();
  }

  private start(): FunctionProcess {
    const process = new FunctionProcess({ ...this.options, onLine: (line) => this.logs.push(line) });
    this.processes.push(process);
    return process;
  }
}
