import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Binding } from './binding';
import { runtimeEnvironment } from './binding';
import { runCommand } from './run-command';
import type { ScratchPackage } from './scratch-package';
import { exampleDirectory, installedVersion } from './scratch-package';

/** The wheel in a fresh virtual environment, with the oldest aws-cdk-lib that the library allows. */
export class PythonBinding implements Binding {
  public readonly language = 'python';
  public readonly cdk = 'aws-cdk-lib';
  private readonly environment: string;

  constructor(private readonly workplace: string) {
    this.environment = join(workplace, 'python-environment');
  }

  public async unavailable(): Promise<string | undefined> {
    try {
      await runCommand('python3', ['-c', 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10), sys.version']);
      return undefined;
    } catch (error) {
      return `needs python3 3.10 or newer with venv: ${(error as Error).message}`;
    }
  }

  public async install(scratch: ScratchPackage): Promise<void> {
    const packed = await scratch.pack(this.language);
    const wheel = readdirSync(packed).find((file) => file.endsWith('.whl'));
    if (wheel === undefined) throw new Error(`no wheel in ${packed}, only ${readdirSync(packed).join(', ')}`);
    const constraints = join(this.workplace, 'constraints.txt');
    writeFileSync(constraints, `aws-cdk-lib==${installedVersion(this.cdk)}\nconstructs==${installedVersion('constructs')}\n`);
    await runCommand('python3', ['-m', 'venv', this.environment]);
    await this.run(['-m', 'pip', 'install', '--no-input', '--constraint', constraints, join(packed, wheel)]);
  }

  public async synthesise(example: string, outdir: string): Promise<void> {
    const cwd = exampleDirectory(this.language, example);
    // all of it is installed already: this fails if the example needs more, or something else
    await this.run(['-m', 'pip', 'install', '--no-input', '--no-index', '--requirement', join(cwd, 'requirements.txt')]);
    await this.run(['app.py'], cwd, { ...runtimeEnvironment(this.workplace, outdir), PYTHONDONTWRITEBYTECODE: '1' });
  }

  private async run(args: string[], cwd?: string, env?: Record<string, string>): Promise<void> {
    await runCommand(join(this.environment, 'bin', 'python'), args, { cwd, env });
  }
}
