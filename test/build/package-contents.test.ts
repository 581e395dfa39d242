import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageProblems } from './package-contents';
import { packageSources, ROOT } from './package-sources';

const sources = packageSources();

/** What jsii, esbuild, rosetta, jest and the CDK leave in the working tree. */
const BUILT = [
  ...sources.modules.flatMap((module) => ['.js', '.d.ts', '.js.map', '.d.ts.map'].map((end) => `lib/${module}${end}`)),
  ...sources.handlers.flatMap((handler) => ['index.js', 'index.js.map'].map((file) => `assets/${handler}.lambda/${file}`)),
  '.jsii', '.jsii.tabl.json', 'tsconfig.tsbuildinfo', 'dist/bundles.json', 'dist/js/package.tgz', 'coverage/lcov.info', 'cdk.out/manifest.json',
  'examples/typescript/janitor-on-ec2/cdk.out/manifest.json',
];

test('the package of a working tree that was built, tested and played with holds constructs and bundles, and nothing else', () => {
  const directory = mkdtempSync(join(tmpdir(), 'package-'));
  try {
    const committed = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
    for (const path of [...committed, ...BUILT]) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), '');
    }
    for (const path of ['package.json', '.npmignore']) cpSync(join(ROOT, path), join(directory, path));
    const [{ files }] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: directory, encoding: 'utf8' }));
    expect(packageProblems(files.map(({ path }: { path: string }) => path), sources)).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 60_000);

describe('problems', () => {
  const few = { modules: ['index', 'private/metric'], handlers: ['judge'] };
  const packed = [
    '.jsii', '.jsii.tabl.json', 'API.md', 'LICENSE', 'README.md', 'package.json',
    'lib/index.js', 'lib/index.d.ts', 'lib/private/metric.js', 'lib/private/metric.d.ts', 'assets/judge.lambda/index.js',
  ];

  test('there are none in an exact package', () => {
    expect(packageProblems(packed, few)).toEqual([]);
  });

  test.each(['lib/index.js.map', 'assets/judge.lambda/index.js.map', 'assets/old.lambda/index.js', 'src/index.ts', 'lambda-src/judge.lambda.ts', 'examples/demo/demo.ts', 'test/a.test.js'])(
    '%s is one', (path) => {
      expect(packageProblems([...packed, path], few)).toEqual([`${path} does not belong into the package`]);
    });

  test.each(['.jsii', 'lib/private/metric.d.ts', 'assets/judge.lambda/index.js'])('so is a package without %s', (path) => {
    expect(packageProblems(packed.filter((one) => one !== path), few)).toEqual([`${path} is missing`]);
  });
});
