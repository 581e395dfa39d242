import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildOptions, Metafile } from 'esbuild';
import { buildSync } from 'esbuild';
import type { Bounds } from './bounds';

const ROOT = join(__dirname, '../..');
const ROUNDS = 15;
const MOST = 1.3;

/**
 * The processor's time from the start of loading until nothing is left to do at once. Loading does nothing but compute, so on an idle
 * machine this is the time that passes; on a busy one it leaves out what the neighbours take.
 */
const LOAD = `
  const start = process.cpuUsage();
  require(process.argv[1]);
  setImmediate(() => {
    const { user, system } = process.cpuUsage(start);
    console.log((user + system) / 1000);
    process.exit(0);
  });
`;

/** How long each handler takes to load, compared with nothing but its SDK clients, built and measured in the same way. */
export function benchBundleLoads(bounds: Bounds): void {
  bounds.section(`Loading: each handler against a bundle that only constructs the same SDK clients (median of ${ROUNDS} processes each)`);
  const { outputs } = JSON.parse(readFileSync(join(ROOT, 'dist/bundles.json'), 'utf8')) as Metafile;
  // inside the checkout, so that the bundler finds the packages
  const folder = mkdtempSync(join(ROOT, 'dist/bench-'));
  try {
    for (const { inputs, entryPoint } of Object.values(outputs)) {
      const name = entryPoint!.replace(/^.*\/|\.ts$/g, '');
      bounds.exactly(`${name}: files of aws-cdk-lib in it`, Object.keys(inputs).filter((input) => input.includes('node_modules/aws-cdk-lib/')).length, 0);
      const clients = [...new Set(Object.keys(inputs).flatMap((input) => /^node_modules\/@aws-sdk\/(client-[\w-]+)\//.exec(input)?.[1] ?? []))];
      // what the handler loads and constructs later it does at once here: otherwise the comparison would flatter it
      const handler = build(join(folder, name, 'handler.js'), `export { handler } from './${entryPoint!}';\n${clientsOnly(clients)}`);
      const control = build(join(folder, name, 'clients.js'), clientsOnly(clients));
      const [complete, alone] = medians([handler, control]) as [number, number];
      bounds.note(`${name}: ${clients.map((client) => client.replace('client-', '')).join(', ')} alone`, alone, ' ms');
      bounds.note(`${name}: with all of them constructed`, complete, ' ms');
      bounds.atMost(`${name}: the latter, times the former`, complete / alone, MOST);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function clientsOnly(packages: readonly string[]): string {
  const imports = packages.map((name, index) => `import * as c${index} from '@aws-sdk/${name}';`);
  const constructions = packages.map((name, index) => `new c${index}.${CLIENTS[name] ?? unknownClient(name)}({})`);
  return `${imports.join('\n')}\nexport const clients = [${constructions.join(', ')}];`;
}

const CLIENTS: Readonly<Record<string, string>> = {
  'client-dynamodb': 'DynamoDBClient',
  'client-ec2': 'EC2Client',
  'client-secrets-manager': 'SecretsManagerClient',
  'client-sfn': 'SFNClient',
  'client-sqs': 'SQSClient',
  'client-ssm': 'SSMClient',
  'client-sts': 'STSClient',
};

function unknownClient(name: string): never {
  throw new Error(`the bench does not know the class of @aws-sdk/${name}`);
}

function build(outfile: string, contents: string): string {
  buildSync({ ...flagsOfBundleTask(), stdin: { contents, resolveDir: ROOT, loader: 'ts' }, absWorkingDir: ROOT, outfile });
  return outfile;
}

/** The flags of the task that makes the assets, read from it. */
function flagsOfBundleTask(): BuildOptions {
  const { tasks } = JSON.parse(readFileSync(join(ROOT, '.projen/tasks.json'), 'utf8')) as { tasks: { bundle: { steps: { exec: string }[] } } };
  const command = tasks.bundle.steps.find(({ exec }) => exec.startsWith('esbuild '))!.exec;
  const flag = (name: string) => new RegExp(`--${name}=([^ ']+)`).exec(command)?.[1];
  return {
    bundle: command.includes('--bundle'),
    minify: command.includes('--minify'),
    platform: flag('platform') as 'node',
    format: flag('format') as 'cjs',
    target: flag('target')!,
    mainFields: flag('main-fields')!.split(','),
    legalComments: flag('legal-comments') as 'none',
    logLevel: 'error',
  };
}

/** Interleaved, so that a busy moment of the machine meets all of them. */
function medians(files: readonly string[]): readonly number[] {
  const times = files.map((): number[] => []);
  // the first round only warms the file cache
  for (let round = 0; round <= ROUNDS; round += 1) {
    files.forEach((file, index) => {
      const time = Number(execFileSync(process.execPath, ['-e', LOAD, file], { env: { AWS_REGION: 'eu-west-1' }, encoding: 'utf8' }));
      if (round > 0) times[index]!.push(time);
    });
  }
  return times.map((list) => list.sort((a, b) => a - b)[(ROUNDS - 1) / 2]!);
}
