import { spawn } from 'node:child_process';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

/**
 * Runs a command to its end and returns what it printed. Its output is shown only if it fails: package managers talk a lot.
 *
 * @throws when it cannot be started, or ends with another code than 0
 */
export function runCommand(command: string, args: string[], options: CommandOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd, env: { ...process.env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => { output += chunk.toString(); });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`'${[command, ...args].join(' ')}' ended with ${signal ?? code}:\n${output}`));
    });
  });
}
