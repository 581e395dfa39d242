import { execFileSync } from 'child_process';
import { readdirSync, readFileSync } from 'fs';
import * as path from 'path';

const ROOT = path.join(__dirname, '..', '..');

/** What each room may import besides itself. Flows and adapters meet in the ports, entries wire everything. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'src/contract': [],
  'src/private': ['src', 'src/contract', 'src/compute'],
  'src/compute': ['src', 'src/contract', 'src/private'],
  'src': ['src/contract', 'src/private', 'src/compute'],
  'lambda-src/shared': ['src/contract'],
  'lambda-src/janitor': ['src/contract', 'lambda-src/shared'],
  'lambda-src/stolen': ['src/contract', 'lambda-src/shared'],
  'lambda-src/github': ['src/contract', 'lambda-src/shared', 'lambda-src/janitor/ports', 'lambda-src/stolen/ports'],
  'lambda-src/compute': ['src/contract', 'lambda-src/shared', 'lambda-src/janitor/ports', 'lambda-src/stolen/ports'],
  'lambda-src/aws': ['src/contract', 'lambda-src/shared', 'lambda-src/janitor/ports', 'lambda-src/stolen/ports'],
};

/** No SDK is known to the rooms that decide. */
const PURE = ['src/contract', 'lambda-src/shared', 'lambda-src/janitor', 'lambda-src/stolen'];

/** Entries, and what several entries wire alike. */
const ENTRY = /^lambda-src\/[\w-]+(\.lambda|-wiring)\.ts$/;

interface Import {
  readonly file: string;
  readonly room: string;
  readonly typeOnly: boolean;
  /** a path from the root without extension, or the name of a package */
  readonly target: string;
  readonly isPackage: boolean;
}

const files = ['src', 'lambda-src'].flatMap((room) => readdirSync(path.join(ROOT, room), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.posix.join(room, name)));

const imports = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const statements = [...text.matchAll(/(?:^|\n)\s*(import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'|import\('([^']+)'\)|import\s+'([^']+)'/g)];
  return statements.map(([, , type, from, dynamic, bare]) => {
    const specifier = (from ?? dynamic ?? bare)!;
    const isPackage = !specifier.startsWith('.');
    const target = isPackage ? specifier : path.posix.join(path.posix.dirname(file), specifier);
    return { file, room: path.posix.dirname(file), typeOnly: type !== undefined, target, isPackage };
  });
}

const show = ({ file, target }: Import) => `${file} -> ${target}`;

test('imports are found at all, or everything below would pass on nothing', () => {
  expect(files.length).toBeGreaterThan(40);
  expect(imports.filter(({ isPackage }) => isPackage).length).toBeGreaterThan(20);
  expect(imports.map(show)).toContain('src/registration-janitor.ts -> src/contract/limits');
});

test('every file stands in a room that the design knows, or is an entry', () => {
  expect(files.filter((file) => !ENTRY.test(file) && !(path.posix.dirname(file) in MAY_IMPORT))).toEqual([]);
});

test('each room imports only what its arrows allow', () => {
  const wrong = imports.filter(({ file, room, target, isPackage }) => {
    if (isPackage || ENTRY.test(file)) return false;
    const allowed = [room, ...MAY_IMPORT[room]!];
    return !allowed.includes(path.posix.dirname(target)) && !allowed.includes(target);
  });
  expect(wrong.map(show)).toEqual([]);
});

test('an entry imports no entry, and nothing of the synth side but the contract', () => {
  const wrong = imports.filter(({ file, target, isPackage }) => ENTRY.test(file) && !isPackage
    && (target.endsWith('.lambda') || (target.startsWith('src/') && !target.startsWith('src/contract/'))));
  expect(wrong.map(show)).toEqual([]);
});

test('adapters know the ports as types only', () => {
  const wrong = imports.filter(({ room, target, typeOnly }) => !PURE.includes(room) && room.startsWith('lambda-src/') && target.endsWith('/ports') && !typeOnly);
  expect(wrong.map(show)).toEqual([]);
});

test('the contract, the flows and what they share import no SDK, only what Node brings', () => {
  const wrong = imports.filter(({ room, isPackage, target }) => PURE.includes(room) && isPackage && !target.startsWith('node:'));
  expect(wrong.map(show)).toEqual([]);
});

test('the contract imports no package at all', () => {
  expect(imports.filter(({ room, isPackage }) => room === 'src/contract' && isPackage).map(show)).toEqual([]);
});

test('the synth side depends on CDK and Node alone: whatever else it imported would be missing at whoever installs the package', () => {
  const used = new Set(imports.filter(({ room, isPackage }) => room.split('/')[0] === 'src' && isPackage).map(({ target }) => target.split('/')[0]));
  expect([...used].sort()).toEqual(['aws-cdk-lib', 'constructs', 'fs', 'path']);
});

test('lint enforces the same arrows', () => {
  const config = JSON.parse(readFileSync(path.join(ROOT, '.eslintrc.json'), 'utf8').replace(/^\/\/.*\n/, ''));
  const [level, { zones }] = config.rules['import/no-restricted-paths'];
  expect(level).toBe('error');
  expect(zones.map(({ target }: { target: string }) => target)).toEqual(expect.arrayContaining([
    './src', './src/contract', './lambda-src', ...['janitor', 'stolen', 'github', 'compute', 'aws', 'shared'].map((room) => `./lambda-src/${room}`),
  ]));
});

describe('lint refuses', () => {
  const attempts: Array<[attempt: string, file: string, text: string, rule: string]> = [
    ['a flow that imports an SDK', 'lambda-src/janitor/verdict.ts', "export * from '@aws-sdk/client-ec2';\n", 'no-restricted-imports'],
    ['a flow that imports an adapter', 'lambda-src/janitor/verdict.ts', "export * from '../compute/ec2';\n", 'import/no-restricted-paths'],
    ['an adapter that imports a flow', 'lambda-src/aws/telemetry.ts', "export * from '../janitor/discover';\n", 'import/no-restricted-paths'],
    ['the synth side that imports the run side', 'src/evidence.ts', "export * from '../lambda-src/shared/deadline';\n", 'import/no-restricted-paths'],
    ['the run side that imports a construct', 'lambda-src/shared/errors.ts', "export * from '../../src/evidence';\n", 'import/no-restricted-paths'],
    ['a contract that imports a package', 'src/contract/limits.ts', "export * from 'aws-cdk-lib';\n", 'no-restricted-imports'],
  ];
  let broken: string[][];

  // one process for all of them: what takes its time is that lint reads the whole project's types
  beforeAll(() => {
    const script = `
      const { loadESLint } = require('eslint');
      (async () => {
        const ESLint = await loadESLint({ useFlatConfig: false });
        const eslint = new ESLint({ cwd: ${JSON.stringify(ROOT)} });
        const rules = [];
        for (const [, file, text] of ${JSON.stringify(attempts)}) {
          const [{ messages }] = await eslint.lintText(text, { filePath: file });
          rules.push(messages.map(({ ruleId }) => ruleId));
        }
        console.log(JSON.stringify(rules));
      })();`;
    // in a single run, the parser would read the file on disk in place of the text
    const env = { ...process.env, TSESTREE_SINGLE_RUN: 'false', NODE_NO_WARNINGS: '1' };
    broken = JSON.parse(execFileSync(process.execPath, ['-e', script], { cwd: ROOT, env, encoding: 'utf8' }));
  }, 180_000);

  test.each(attempts.map(([attempt, , , rule], index) => ({ attempt, rule, index })))('$attempt', ({ rule, index }) => {
    expect(broken[index]).toContain(rule);
  });
});
