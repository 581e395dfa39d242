import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Binding } from './binding';
import { runtimeEnvironment } from './binding';
import { runCommand } from './run-command';
import type { ScratchPackage } from './scratch-package';
import { exampleDirectory, installedVersion } from './scratch-package';

const MODULE = 'github.com/cdk-github-runner-janitor/cdk-github-runner-janitor-go/cdkgithubrunnerjanitor';
const CDK_MODULE = 'github.com/aws/aws-cdk-go/awscdk/v2';
const OLDEST = { major: 1, minor: 25 };

/** The module by `replace`, in a fresh copy of each example, with the newest aws-cdk-lib. Go's own caches are used as always. */
export class GoBinding implements Binding {
  public readonly language = 'go';
  public readonly cdk = 'aws-cdk-lib-newest';
  private module?: string;

  constructor(private readonly workplace: string) {}

  public async unavailable(): Promise<string | undefined> {
    const wanted = `needs Go ${OLDEST.major}.${OLDEST.minor} or newer`;
    try {
      const version = await runCommand('go', ['env', 'GOVERSION']);
      const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
      const isEnough = Number(major) > OLDEST.major || (Number(major) === OLDEST.major && Number(minor) >= OLDEST.minor);
      return isEnough ? undefined : `${wanted}, found ${version.trim()}`;
    } catch (error) {
      return `${wanted}: ${(error as Error).message}`;
    }
  }

  public async install(scratch: ScratchPackage): Promise<void> {
    // sources only: they are compiled once, with the examples, and not for the floor of aws-cdk-lib before
    this.module = join(await scratch.pack(this.language, '--code-only'), 'cdkgithubrunnerjanitor');
  }

  public async synthesise(example: string, outdir: string): Promise<void> {
    const cwd = join(this.workplace, `go-${example}`);
    cpSync(exampleDirectory(this.language, example), cwd, { recursive: true });
    await runCommand('go', ['mod', 'edit', `-replace=${MODULE}=${this.module}`, `-require=${CDK_MODULE}@v${installedVersion(this.cdk)}`], { cwd });
    await runCommand('go', ['mod', 'tidy'], { cwd });
    await runCommand('go', ['vet', '.'], { cwd });
    await runCommand('go', ['run', '.'], { cwd, env: runtimeEnvironment(this.workplace, outdir) });
  }
}
