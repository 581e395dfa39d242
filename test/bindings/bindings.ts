import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Binding } from './binding';
import { GoBinding } from './go-binding';
import { PythonBinding } from './python-binding';
import { ScratchPackage } from './scratch-package';
import { SOURCE_LANGUAGES, typesWithoutSource } from './source-packages';
import { templateDifferences } from './template-differences';

/** The same in every language: folder of the example, and its stack. */
const EXAMPLES = { 'janitor-on-ec2': 'JanitorOnEc2', 'stolen-runners': 'StolenRunners' };

const counts = { passed: 0, failed: 0, skipped: 0 };

/** Whether a language that is missing here is a failure, as it is in CI. */
const mayNotSkip = process.argv.includes('--no-skips');

void main();

async function main(): Promise<void> {
  const workplace = mkdtempSync(join(tmpdir(), 'bindings-'));
  try {
    const scratch = new ScratchPackage(workplace);
    await scratch.compile();
    for (const language of SOURCE_LANGUAGES) await check(`${language}: sources are generated`, () => typesWithoutSource(scratch, language));
    // in turn: each fills the machine
    for (const binding of [new PythonBinding(workplace), new GoBinding(workplace)]) await checkBinding(binding, scratch, workplace);
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed > 0 || counts.passed === 0 || (mayNotSkip && counts.skipped > 0) ? 1 : 0;
}

async function checkBinding(binding: Binding, scratch: ScratchPackage, workplace: string): Promise<void> {
  const missing = await binding.unavailable();
  if (missing !== undefined) {
    counts.skipped += 1;
    console.log(`skipped  ${binding.language}: ${missing}`);
    return;
  }
  const isInstalled = await check(`${binding.language}: the package is made and installed`, async () => {
    await binding.install(scratch);
    return [];
  });
  if (!isInstalled) return;
  for (const [example, stack] of Object.entries(EXAMPLES)) {
    await check(`${binding.language}: ${example} synthesises to the template of TypeScript`, async () => {
      const [expected, actual] = ['typescript', binding.language].map((language) => join(workplace, `${language}-${binding.cdk}-${example}.out`));
      await scratch.synthesise(example, binding.cdk, expected!);
      await binding.synthesise(example, actual!);
      return templateDifferences(templateOf(expected!, stack), templateOf(actual!, stack));
    });
  }
}

/** Runs a check, which returns what is wrong. One that fails does not stop the others. */
async function check(title: string, findProblems: () => Promise<string[]>): Promise<boolean> {
  const started = Date.now();
  let problems: string[];
  try {
    problems = await findProblems();
  } catch (error) {
    problems = [(error as Error).message];
  }
  const isFine = problems.length === 0;
  counts[isFine ? 'passed' : 'failed'] += 1;
  console.log(`${isFine ? 'passed ' : 'FAILED '}  ${title} (${Math.round((Date.now() - started) / 1000)} s)`);
  for (const problem of problems) console.log(`         ${problem.replace(/\n/g, '\n         ')}`);
  return isFine;
}

function templateOf(outdir: string, stack: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(outdir, `${stack}.template.json`), 'utf8')) as Record<string, unknown>;
}
