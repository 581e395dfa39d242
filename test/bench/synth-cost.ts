import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as ts from 'typescript';
import type { Bounds } from './bounds';

const ROOT = join(__dirname, '../..');
const ROUNDS = 15;

interface SynthRun {
  readonly milliseconds: number;
  readonly types: readonly string[];
}

/** What the constructs cost whoever synthesises an app with them: against the same resources without them, and to load. */
export function benchSynth(bounds: Bounds): void {
  bounds.section(`Synthesis: both constructs against the same resources as plain constructs of CDK (median of ${ROUNDS} processes each)`);
  // inside the checkout, so that the compiled files find the packages
  const folder = mkdtempSync(join(ROOT, 'dist/bench-'));
  try {
    compile(folder);
    symlinkSync(join(ROOT, 'assets'), join(folder, 'assets'));
    const [ours, plain] = interleaved(['constructs', 'plain'].map((kind) => () => synthesise(folder, kind)));
    bounds.exactly('resources whose types differ', differences(ours![0]!.types, plain![0]!.types), 0);
    bounds.note('resources', ours![0]!.types.length);
    const [cost, plainCost] = [ours!, plain!].map((runs) => median(runs.map(({ milliseconds }) => milliseconds))) as [number, number];
    bounds.note('plain constructs', plainCost, ' ms');
    bounds.note('RegistrationJanitor and StolenRunnerDetector', cost, ' ms');
    bounds.atMost('the latter, times the former', cost / plainCost, 1.1);

    const modules = usedModules();
    const [withPackage, without] = interleaved([`${folder}/src/index.js`, undefined].map((extra) => () => load([...modules, ...extra ? [extra] : []]))) as [number[], number[]];
    bounds.note(`loading aws-cdk-lib and the ${modules.length - 1} modules of it that the package uses`, median(without), ' ms');
    bounds.note('loading these and the package', median(withPackage), ' ms');
    bounds.atMost('the latter, times the former', median(withPackage) / median(without), 1.1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Statement by statement as jsii compiles it: esbuild's output would copy every name of a module into each file that imports it. */
function compile(folder: string): void {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as { config: { compilerOptions: object } };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  for (const file of [...sourceFiles().map((source) => `src/${source}`), 'test/bench/synth-run.ts', 'test/bench/plain-app.ts']) {
    const { outputText } = ts.transpileModule(readFileSync(join(ROOT, file), 'utf8'), { compilerOptions: { ...options, inlineSourceMap: false, inlineSources: false } });
    const compiled = join(folder, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(compiled), { recursive: true });
    writeFileSync(compiled, outputText);
  }
}

function sourceFiles(): readonly string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
}

function synthesise(folder: string, kind: string): SynthRun {
  const outdir = mkdtempSync(join(folder, 'cdk.out-'));
  // stderr: CDK's own notices
  return JSON.parse(execFileSync(process.execPath, [join(folder, 'test/bench/synth-run.js'), kind, join(ROOT, 'assets'), outdir], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as SynthRun;
}

/** How many resources of one list find no partner of the same type in the other. */
function differences(one: readonly string[], other: readonly string[]): number {
  const left = [...other];
  const alone = one.filter((type) => {
    const index = left.indexOf(type);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  return alone.length + left.length;
}

/** What src imports from CDK other than types: `import { aws_sqs as sqs } from 'aws-cdk-lib'`. */
function usedModules(): readonly string[] {
  const imports = sourceFiles().flatMap((file) => [...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(/^import \{(.*)\} from 'aws-cdk-lib';$/gm)]);
  const names = imports.flatMap(([, list]) => [...list!.matchAll(/\baws_\w+/g)].map(([name]) => `aws-cdk-lib/${name.replaceAll('_', '-')}`));
  return [...new Set(['aws-cdk-lib', ...names])];
}

/** CDK loads the parts of a module when they are first looked at, so all of them are: otherwise nothing would be loaded without the package. */
function load(modules: readonly string[]): number {
  const script = `
    const start = process.cpuUsage();
    for (const name of ${JSON.stringify(modules)}) Object.values(require(name));
    const { user, system } = process.cpuUsage(start);
    console.log((user + system) / 1000);`;
  return Number(execFileSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' }));
}

/** Interleaved, so that a busy moment of the machine meets all of them; the first round only warms the file cache. */
function interleaved<T>(measures: ReadonlyArray<() => T>): readonly T[][] {
  const results = measures.map((): T[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    measures.forEach((measure, index) => {
      const result = measure();
      if (round > 0) results[index]!.push(result);
    });
  }
  return results;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[(ROUNDS - 1) / 2]!;
}
