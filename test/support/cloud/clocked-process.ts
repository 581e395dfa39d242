import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { VirtualClock } from './virtual-clock';

export interface ProcessOptions {
  /** of the script, before the clock shim's own */
  readonly args?: readonly string[];
  /** all of it: nothing is inherited */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly clock: VirtualClock;
  /** factor by which short waits are shortened */
  readonly compression?: number;
  readonly onLine?: (line: string) => void;
}

const SHIM = join(__dirname, 'clock-shim.cjs');

/** A child process that lives in virtual time and talks to us in messages. */
export class ClockedProcess {
  readonly exited: Promise<void>;
  private readonly child: ChildProcess;
  private readonly listeners = new Set<(message: Record<string, unknown>) => void>();
  private readonly unfollow: () => void;
  private running = true;

  constructor(script: string, { args = [], env, cwd, clock, compression = 1, onLine }: ProcessOptions) {
    const shim = JSON.stringify({ offset: clock.offset, compression });
    this.child = spawn(process.execPath, ['--require', SHIM, script, ...args, shim], { env, ...(cwd ? { cwd } : {}), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const stream of [this.child.stdout!, this.child.stderr!]) splitLines(stream, onLine ?? (() => undefined));
    this.child.on('message', (message) => { for (const listener of this.listeners) listener(message as Record<string, unknown>); });
    this.listeners.add(({ asleepUntil }) => { if (typeof asleepUntil === 'number') clock.asleep(asleepUntil); });
    this.unfollow = clock.follow((offset) => this.moveClock(offset));
    this.exited = new Promise((resolve) => this.child.on('close', () => {
      this.running = false;
      this.unfollow();
      resolve();
    }));
  }

  get isRunning(): boolean {
    return this.running;
  }

  send(message: Record<string, unknown>): void {
    if (this.child.connected) this.child.send(message);
  }

  /** The first message that `pick` makes something of, or undefined if the process ends before. */
  receive<T>(pick: (message: Record<string, unknown>) => T | undefined): Promise<T | undefined> {
    return new Promise((resolve) => {
      const listener = (message: Record<string, unknown>) => {
        const picked = pick(message);
        if (picked === undefined) return;
        this.listeners.delete(listener);
        resolve(picked);
      };
      this.listeners.add(listener);
      void this.exited.then(() => {
        this.listeners.delete(listener);
        resolve(undefined);
      });
    });
  }

  /** As a machine that fails: no handler of the process runs. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  private async moveClock(offset: number): Promise<void> {
    const moved = this.receive(({ clockMoved }) => (clockMoved === offset ? true : undefined));
    this.send({ clockOffset: offset });
    await moved;
  }
}

function splitLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    lines.filter((line) => line !== '').forEach(onLine);
  }).on('end', () => { if (rest !== '') onLine(rest); });
}
