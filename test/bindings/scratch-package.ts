import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './run-command';

const ROOT = join(__dirname, '..', '..');
const TOOLS = join(ROOT, 'node_modules', '.bin');

/** What the package is made of, and what the examples in TypeScript need. */
const COPIED = ['package.json', 'README.md', 'LICENSE', '.npmignore', 'tsconfig.json', 'src', 'assets', 'rosetta', 'examples/typescript'];

/** Examples in TypeScript know the aliases of package.json: the floor, and the newest version that is known to work. */
export type Cdk = 'aws-cdk-lib' | 'aws-cdk-lib-newest';

/** A copy of the library in which it is compiled and packed, so that nothing in the working tree changes. */
export class ScratchPackage {
  public readonly directory: string;
  private readonly made = new Map<Cdk, string>();

  constructor(private readonly workplace: string) {
    this.directory = join(workplace, 'package');
    copyTo(this.directory);
    symlinkSync(join(ROOT, 'node_modules'), join(this.directory, 'node_modules'));
  }

  /** One assembly, with its snippets in every language, for all bindings. */
  public async compile(): Promise<void> {
    await this.tool('jsii', '--silence-warnings=reserved-word', '--fail-on-warnings');
    await this.tool('jsii-rosetta', 'extract', '--compile', '--strict', '--fail');
  }

  /** Makes the package of a language, and returns where it is. A snippet that is not translated is a failure. */
  public async pack(language: string, ...options: string[]): Promise<string> {
    const outdir = join(this.workplace, `dist-${language}`);
    await this.tool('jsii-pacmak', '--target', language, '--outdir', outdir, '--rosetta-unknown-snippets', 'fail', ...options);
    return join(outdir, language);
  }

  /** The names of all classes, structs and enums of the API. */
  public types(): string[] {
    const assembly = JSON.parse(readFileSync(join(this.directory, '.jsii'), 'utf8')) as { types: Record<string, { name: string }> };
    return Object.values(assembly.types).map(({ name }) => name);
  }

  /** Synthesises an example in TypeScript from the sources with that version of aws-cdk-lib, into `outdir`. */
  public async synthesise(example: string, cdk: Cdk, outdir: string): Promise<void> {
    const app = join(this.sourcesFor(cdk), 'examples', 'typescript', example);
    await runCommand(join(TOOLS, 'tsx'), ['app.ts'], { cwd: app, env: { CDK_OUTDIR: outdir } });
  }

  private sourcesFor(cdk: Cdk): string {
    const known = this.made.get(cdk);
    if (known !== undefined) return known;
    const directory = join(this.workplace, `typescript-${cdk}`);
    copyTo(directory);
    mkdirSync(join(directory, 'node_modules'));
    symlinkSync(join(ROOT, 'node_modules', cdk), join(directory, 'node_modules', 'aws-cdk-lib'));
    symlinkSync(join(ROOT, 'node_modules', 'constructs'), join(directory, 'node_modules', 'constructs'));
    this.made.set(cdk, directory);
    return directory;
  }

  private async tool(name: string, ...args: string[]): Promise<void> {
    await runCommand(join(TOOLS, name), args, { cwd: this.directory });
  }
}

/** The version of a package that is installed here. */
export function installedVersion(name: string): string {
  return (JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version;
}

export function exampleDirectory(language: string, example: string): string {
  return join(ROOT, 'examples', language, example);
}

function copyTo(directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const path of COPIED) cpSync(join(ROOT, path), join(directory, path), { recursive: true });
}
