import { awscdk, javascript, JsonFile, typescript } from 'projen';

const LAMBDA_NODE = '24';

/** Packages that ship ES modules only; jest has to compile them. */
const ESM_ONLY = ['@octokit', 'universal-user-agent', 'before-after-hook', 'universal-github-app-jwt', 'toad-cache', 'content-type', 'json-with-bigint'];

/** What runs in Lambda: bundled at build time, so never a dependency of whoever installs the package. */
const BUNDLED = [
  '@aws-lambda-powertools/batch',
  '@aws-lambda-powertools/logger',
  '@aws-lambda-powertools/metrics',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-ec2',
  '@aws-sdk/client-secrets-manager',
  '@aws-sdk/client-sfn',
  '@aws-sdk/client-sqs',
  '@aws-sdk/client-ssm',
  '@aws-sdk/client-sts',
  '@octokit/auth-app@^8.3.1',
  // not @octokit/rest, which is this and a map of a thousand endpoints that takes 12 ms to load
  '@octokit/core@^7.0.8',
  '@octokit/types',
  '@types/aws-lambda',
  'universal-github-app-jwt',
];

const project = new awscdk.AwsCdkConstructLibrary({
  name: 'cdk-github-runner-janitor',
  description: 'CDK constructs that delete GitHub Actions runner registrations whose machines are gone, and replace runners whose jobs were stolen',
  author: 'cdk-github-runner-janitor maintainers',
  authorOrganization: true,
  authorAddress: 'maintainers@cdk-github-runner-janitor.dev',
  repositoryUrl: 'https://github.com/cdk-github-runner-janitor/cdk-github-runner-janitor.git',
  license: 'Apache-2.0',
  copyrightOwner: 'The cdk-github-runner-janitor authors',
  keywords: ['cdk', 'aws-cdk', 'github-actions', 'self-hosted-runners', 'runners', 'spot', 'ghost-runners', 'stolen-runners'],
  stability: 'experimental',
  defaultReleaseBranch: 'main',
  packageManager: javascript.NodePackageManager.NPM,
  sampleCode: false,
  projenrcTs: true,
  projenrcTsOptions: { runner: typescript.TypeScriptRunner.tsx() },
  projenVersion: '^0.103.25',
  allowScripts: ['node', 'esbuild', '@swc/core'],

  cdkVersion: '2.239.0',
  constructsVersion: '10.5.1',
  jsiiVersion: '~6.0.16',
  typescriptVersion: '~6.0.3',
  minNodeVersion: '20.0.0',
  workflowNodeVersion: LAMBDA_NODE,
  lambdaAutoDiscover: false,
  integrationTestAutoDiscover: false,
  experimentalIntegRunner: false,

  publishToPypi: { distName: 'cdk-github-runner-janitor', module: 'cdk_github_runner_janitor' },
  publishToGo: { moduleName: 'github.com/cdk-github-runner-janitor/cdk-github-runner-janitor-go' },
  publishToMaven: {
    javaPackage: 'io.github.cdkgithubrunnerjanitor',
    mavenGroupId: 'io.github.cdk-github-runner-janitor',
    mavenArtifactId: 'cdk-github-runner-janitor',
  },
  publishToNuget: { dotNetNamespace: 'CdkGithubRunnerJanitor', packageId: 'CdkGithubRunnerJanitor' },

  devDeps: [
    ...BUNDLED,
    `@types/node@^${LAMBDA_NODE}`,
    '@types/jest@^30',
    `node@^${LAMBDA_NODE}`,
    '@swc/core',
    '@swc/jest',
    'jest@^30',
    '@cloudsnorkel/cdk-github-runners@^0.14.13', // only for the example that stands beside it
    '@octokit/webhooks-examples@^7.6.1',
    'ajv@^8',
    'ajv-formats',
    'aws-cdk-lib-newest@npm:aws-cdk-lib@^2.276.0', // the same tests run against the floor and against this
    'awslint@2.262.2-alpha.0',
    'cdk-nag@^2.38.2',
    'dynalite@^4',
    'esbuild@^0.28',
    'fast-check@^4',
    'fauxqs@^1.9.2',
    'tsx@^4',
  ],

  jest: false, // projen's own jest component brings ts-jest, --passWithNoTests and silent snapshot updates: see below

  eslintOptions: {
    dirs: ['src', 'lambda-src'],
    devdirs: ['test', 'examples'],
    projectService: false,
    tsconfigPath: './tsconfig.dev.json',
    commandOptions: { fix: false },
    prettier: false,
  },
  tsconfigDevFile: 'tsconfig.dev.json',
  tsconfigDev: {
    include: ['.projenrc.ts'],
    exclude: ['examples/**/cdk.out'],
    compilerOptions: {
      target: 'ES2022',
      lib: ['es2023'],
      module: 'esnext',
      moduleResolution: javascript.TypeScriptModuleResolution.BUNDLER,
      esModuleInterop: true,
      skipLibCheck: true,
      rootDir: '.',
    },
  },
  docgenFilePath: 'API.md',

  github: true,
  buildWorkflow: true,
  depsUpgrade: false,
  release: false,
  pullRequestTemplate: false,
  gitignore: ['/assets/', '/cdk.out/', '.jsii.tabl.json', '*.tgz', '/examples/**/cdk.out/', '.DS_Store'],
});

// ---- the package holds the constructs and the bundles, and nothing that built or tested them ----------------------------
for (const path of [
  '/lambda-src', '/examples', '/rosetta', '/.ci', '/docs', '/cdk.json', '/cdk.out', '/coverage', '/CONTRIBUTING.md', '*.map',
  '/jest*.json', '/awslint.json', '/.compatignore',
]) {
  project.addPackageIgnore(path);
}

// ---- every task runs on Lambda's Node: the `node` package puts its binary first on projen's PATH ------------------
project.addTask('node:version', {
  description: 'Fails unless tasks run on the Node version the functions run on',
  exec: `node -e "const v = process.version; if (!v.startsWith('v${LAMBDA_NODE}.')) { console.error('tasks must run on Node ${LAMBDA_NODE}, got ' + v + '; was the install script of the npm package node blocked?'); process.exit(1); } console.log('tasks run on Node ' + v)"`,
});

// ---- handlers: every lambda-src/*.lambda.ts becomes assets/<name>.lambda/index.js --------------------------------------
const bundle = project.addTask('bundle', {
  description: 'Bundles the Lambda handlers into assets/',
  steps: [
    { exec: 'rm -rf assets' },
    {
      exec: [
        'esbuild lambda-src/*.lambda.ts --bundle --minify --platform=node --format=cjs',
        `--target=node${LAMBDA_NODE}`,
        // the SDK's ES module builds tree-shake: client-ec2 loads in less than half the time
        '--main-fields=module,main',
        '--legal-comments=none --log-level=warning',
        "--outdir=assets '--entry-names=[name]/index' --metafile=dist/bundles.json",
      ].join(' '),
    },
  ],
});
project.preCompileTask.spawn(bundle);

// ---- type check of the run side is stricter than jsii allows --------------------------------------------------------
new JsonFile(project, 'lambda-src/tsconfig.json', {
  marker: false,
  obj: {
    extends: '../tsconfig.dev.json',
    compilerOptions: { noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true, rootDir: '..' },
    include: ['**/*.ts'],
    exclude: [],
  },
});
project.addTask('type-check', {
  description: 'Type-checks tests, examples and, more strictly, the handlers',
  steps: [{ exec: 'tsc --noEmit -p tsconfig.dev.json' }, { exec: 'tsc -p lambda-src/tsconfig.json' }],
});

// ---- rooms and arrows (design, section 4) ----------------------------------------------------------------------------
const run = './lambda-src';
const only = (target: string, ...rooms: string[]) => ({ target: `${run}/${target}`, from: run, except: [`./${target}`, ...rooms] });
const noSynth = (target: string) => ({ target, from: './src', except: ['./contract'] });
const PORTS = ['./janitor/ports.ts', './stolen/ports.ts'];
project.eslint!.addRules({
  'import/no-restricted-paths': ['error', {
    zones: [
      { target: './src', from: run, message: 'the synth side reaches the run side only through bundled assets' },
      noSynth('./src/contract'),
      noSynth(run),
      only('janitor', './shared'),
      only('stolen', './shared'),
      only('github', './shared', ...PORTS),
      only('compute', './shared', ...PORTS),
      only('aws', './shared', ...PORTS),
      only('shared'),
    ],
  }],
  'import/no-default-export': 'error',
  'max-lines': ['error', { max: 350 }],
  '@stylistic/max-len': ['error', { code: 150, ignoreUrls: true, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreComments: true, ignoreRegExpLiterals: true }],
  '@typescript-eslint/consistent-type-imports': ['error', { prefer: 'type-imports' }],
});
// bundled, so never installed with the package
project.eslint!.allowDevDeps('lambda-src/**');
project.eslint!.addOverride({
  files: ['lambda-src/janitor/*.ts', 'lambda-src/stolen/*.ts', 'lambda-src/shared/*.ts'],
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group: ['@aws-sdk/*', '@octokit/*', '@aws-lambda-powertools/*', 'aws-cdk-lib', 'aws-cdk-lib/*'], message: 'flows know ports, not SDKs' }] }] },
});
project.eslint!.addOverride({
  files: ['src/contract/*.ts'],
  rules: { 'no-restricted-imports': ['error', { patterns: [{ regex: '^[^.]', message: 'the contract imports nothing' }] }] },
});
project.eslint!.addOverride({ files: ['.projenrc.ts', 'test/**', 'examples/**'], rules: { 'import/no-default-export': 'off', 'max-lines': 'off' } });

// ---- the demo and the benchmark run the bundled handlers -------------------------------------------------------------------
const demo = project.addTask('demo', { description: 'Runs both constructs end to end on this machine, against embedded services' });
demo.spawn(bundle);
demo.exec('tsx examples/demo/demo.ts');
const bench = project.addTask('bench', { description: 'Counts requests, memory and load times, and prints them as ratios' });
bench.spawn(bundle);
bench.exec('tsx test/bench/bench.ts');

// ---- jsii: warnings are failures ---------------------------------------------------------------------------------------
project.compileTask.reset('jsii --silence-warnings=reserved-word --fail-on-warnings');

// ---- every snippet of README and docstrings compiles, and is there in every language ------------------------------------------
const rosetta = project.addTask('rosetta', {
  description: 'Compiles the snippets of README and docstrings, and translates them; after compile',
  // the tablet goes into the package: Construct Hub and the packages of other languages show what is in there
  steps: [{ exec: 'jsii-rosetta extract --compile --strict --fail' }, { exec: 'tsx test/bindings/check-snippets.ts' }],
});
project.postCompileTask.spawn(rosetta);

// ---- the API: by CDK's guidelines, and compatible with the last release ---------------------------------------------------------
new JsonFile(project, 'awslint.json', {
  marker: false,
  obj: {
    exclude: [
      // reference interfaces are newer than our users' code, and cannot be granted anything: props take ISecret, IVpc, ILogGroup, IKey
      'prefer-ref-interface:*',
      // only a function that is made in the app can be given environment variables
      'ref-via-interface:cdk-github-runner-janitor.RegistrationJanitor.attachNominator.fn',
      'ref-via-interface:cdk-github-runner-janitor.StolenRunnerDetector.attachRecorder.fn',
      'ref-via-interface:cdk-github-runner-janitor.StolenRunnerDetector.attachReporter.fn',
      // companion classes for grants are for those who want to grant on an L1; there is no L1 of ours
      'no-grants:cdk-github-runner-janitor.*',
    ],
  },
});
project.addTask('awslint', { description: 'Checks the API by the design guidelines of the CDK; after compile', exec: '.ci/awslint' });
project.tasks.tryFind('compat')!.reset('.ci/compat');

// ---- tests -------------------------------------------------------------------------------------------------------------
const jest = {
  testEnvironment: 'node',
  clearMocks: true,
  transform: { '^.+\\.[cm]?[jt]s$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
  transformIgnorePatterns: [`/node_modules/(?!(${ESM_ONLY.join('|')})/)`],
  modulePathIgnorePatterns: ['<rootDir>/(lib|dist|cdk.out)/'],
  maxWorkers: '100%',
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.cjs'],
};
new JsonFile(project, 'jest.config.json', {
  obj: { ...jest, testMatch: ['<rootDir>/test/**/*.test.ts'], testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/newest/'] },
});
// what synthesises, again with the newest aws-cdk-lib, its feature flags and its own validation of templates
new JsonFile(project, 'jest.newest.json', {
  obj: {
    ...jest,
    testMatch: ['newest/*', 'compute/*', '*-nag', '*-alarms', '*-dashboard', 'registration-janitor*', 'stolen-runner-*', 'github-credentials', 'nominate-*', 'runner-*']
      .map((name) => `<rootDir>/test/${name}.test.ts`),
    moduleNameMapper: { '^aws-cdk-lib($|/.*)': 'aws-cdk-lib-newest$1' },
  },
});
project.testTask.reset();
// on a clean clone the assets do not exist, and both the constructs and the tests need them
project.testTask.spawn(bundle);
project.testTask.exec('jest --ci', { receiveArgs: true });

const newest = project.addTask('test:newest', { description: 'Runs the tests that synthesise with the newest aws-cdk-lib' });
newest.spawn(bundle);
// silent: it reports what the tests warn about on purpose
newest.exec('jest --ci --silent --config jest.newest.json', { receiveArgs: true });

const bindings = project.addTask('test:bindings', { description: 'Makes the packages for Python and Go, and compares what examples synthesise to there' });
bindings.spawn(bundle);
bindings.exec('tsx test/bindings/bindings.ts', { receiveArgs: true });

project.synth();
