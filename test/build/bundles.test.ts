import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

const ROOT = join(__dirname, '../..');
const { outputs } = JSON.parse(readFileSync(join(ROOT, 'dist/bundles.json'), 'utf8')) as Metafile;
const handlers = readdirSync(join(ROOT, 'lambda-src')).filter((file) => file.endsWith('.lambda.ts')).map((file) => file.replace(/\.ts$/, ''));

const packageOf = (input: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1];

test('there is a bundle for every handler, and nothing else', () => {
  expect(handlers.length).toBeGreaterThan(0);
  expect(Object.keys(outputs).sort()).toEqual(handlers.map((handler) => `assets/${handler}/index.js`).sort());
});

describe.each(handlers)('%s', (handler) => {
  const file = `assets/${handler}/index.js`;
  const included = Object.keys(outputs[file]?.inputs ?? {});

  test('is on disk as it was described', () => {
    expect(existsSync(join(ROOT, file))).toBe(true);
    expect(statSync(join(ROOT, file)).size).toBe(outputs[file]!.bytes);
  });

  test('contains no part of the CDK', () => {
    expect(included.filter((input) => ['aws-cdk-lib', 'constructs', '@aws-cdk'].includes(packageOf(input)?.split('/')[0] ?? ''))).toEqual([]);
  });

  test('takes nothing from the synth side but the contract, and nothing from the tests', () => {
    const own = included.filter((input) => packageOf(input) === undefined);

    expect(own.filter((input) => !input.startsWith('lambda-src/') && !input.startsWith('src/contract/'))).toEqual([]);
    expect(own).toContain(`lambda-src/${handler}.ts`);
  });

  test('takes the SDK clients as ES modules, which load in less than half the time', () => {
    const clients = included.filter((input) => packageOf(input)?.startsWith('@aws-sdk/client-'));

    expect(clients.length).toBeGreaterThan(0);
    expect(clients.filter((input) => input.includes('/dist-cjs/'))).toEqual([]);
  });
});
