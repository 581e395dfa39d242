import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { DEMO, synthesiseDemo } from '../examples/demo/demo-app';
import { findings } from '../examples/demo/findings';
import { Fleet } from '../examples/demo/fleet';
import { SHOP, synthesiseRunnerStack } from '../examples/demo/runner-app';
import { Shop } from '../examples/demo/shop';
import { theftFindings } from '../examples/demo/theft-findings';
import { DetectorStage } from './support/cloud/detector-stage';
import { JanitorStage } from './support/cloud/janitor-stage';

jest.setTimeout(180_000);

const ROOT = join(__dirname, '..');

test('the demo ends well and tells what was kept, what was deleted and what was stolen, also where there is no terminal', async () => {
  const demo = spawn(process.execPath, [join(ROOT, 'node_modules/tsx/dist/cli.mjs'), 'examples/demo/demo.ts'], { cwd: ROOT });
  const output: string[] = [];
  for (const stream of [demo.stdout, demo.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => output.push(chunk));
  const code = await new Promise((resolve) => demo.on('close', resolve));
  const text = output.join('');
  expect(text).toMatch(/80 would be deleted/);
  expect(text).toMatch(/together +353 +273 +80\n/);
  expect(text).toMatch(/GOOD: all 80 ghosts are gone, and nothing else is/);
  for (const job of [101, 102, 103]) expect(text).toMatch(new RegExp(`shop-${job} +${job} +job 90\\d of acme/playground +STOLEN by acme/playground +shop-${job}-r1 +job \\d+\n`));
  expect(text).toMatch(/shop-108 +108 +job 107 of acme\/shop +STOLEN for job 107, whose own runner died +shop-108-r1 +job \d+\n/);
  expect(text).toMatch(/12 runners +4 replacements\n/);
  expect(text).toMatch(/GOOD: every job had its runner, and no runner is left over/);
  expect(text).not.toMatch(/\u001b|\r|PROBLEM/);
  expect(code).toBe(0);
});

describe('the findings about registrations that decide the exit code', () => {
  let stage: JanitorStage;
  let fleet: Fleet;

  beforeEach(async () => {
    stage = await JanitorStage.start({ organization: DEMO.organization, compression: 20 });
    stage.github.addToken('ghp_operator');
    fleet = new Fleet(stage.github, stage.cloud.ec2);
    await stage.deploy(synthesiseDemo());
  });

  afterEach(() => stage.stop());

  async function deleteAtGitHub(id: number): Promise<void> {
    const url = `${stage.github.url}/orgs/${DEMO.organization}/actions/runners/${id}`;
    expect((await fetch(url, { method: 'DELETE', headers: { authorization: 'Bearer ghp_operator' } })).status).toBe(204);
  }

  /** The functions do not run here, so that every action of theirs is unused. */
  const found = async () => (await findings(stage, fleet)).filter((finding) => !finding.startsWith('allowed by the template'));

  test('name every ghost that is left', async () => {
    const [spared, ...others] = fleet.ghosts;
    for (const { id } of others) await deleteAtGitHub(id);
    expect(await found()).toEqual([`a ghost is left: ${spared!.name}`]);
    await deleteAtGitHub(spared!.id);
    expect(await found()).toEqual([]);
  });

  test('name a registration that was deleted by mistake', async () => {
    for (const { id } of fleet.ghosts) await deleteAtGitHub(id);
    const living = fleet.members.find(({ kind }) => kind.title === 'looks dead')!;
    await deleteAtGitHub(living.id);
    expect(await found()).toEqual([`deleted by mistake: ${living.name}`]);
  });

  test('name every allowed action that nothing used', async () => {
    const unused = (await findings(stage, fleet)).filter((finding) => finding.includes('Discovery'));
    expect(unused.map((finding) => finding.split(': ').at(-1))).toEqual(expect.arrayContaining(['ec2:DescribeInstances', 'secretsmanager:GetSecretValue', 'sqs:SendMessage']));
  });
});

describe('the findings about runners that decide the exit code', () => {
  let stage: DetectorStage;
  let shop: Shop;

  beforeEach(async () => {
    stage = await DetectorStage.start({ organization: SHOP.organization, repositories: [SHOP.repository, SHOP.outsider] });
    await stage.deploy(synthesiseRunnerStack());
    shop = new Shop(stage);
    await shop.startRunners();
    await shop.tellStory();
  });

  afterEach(() => stage.stop());

  /** The judge does not come to work here, so that its actions are unused and its reports are left. */
  const found = async () => (await theftFindings(stage, shop)).filter((finding) => !/^(allowed by the template|left on)/.test(finding));

  async function replace(runner: string, input = stage.cloud.stepFunctions.find(runner)!.input): Promise<void> {
    await stage.startRunner(`${runner}-r1`, input);
    await shop.handOut();
  }

  test('name what is missing, until all that was stolen is replaced', async () => {
    expect(await found()).toEqual([
      'there were 12 runners instead of 16',
      ...[101, 102, 103, 108].map((job) => `not replaced: shop-${job}`),
      ...[101, 102, 103, 108].map((job) => `no runner is left for job ${job}`),
    ]);
    for (const job of [101, 102, 103]) await replace(`shop-${job}`);
    expect(await found()).toEqual(['there were 15 runners instead of 16', 'not replaced: shop-108', 'no runner is left for job 108']);
    await replace('shop-108');
    expect(await found()).toEqual([]);
  });

  test('name a runner that was replaced by mistake and has nothing to do, and an input that was changed', async () => {
    for (const job of [101, 102, 103]) await replace(`shop-${job}`);
    await replace('shop-108', '{}');
    await replace('shop-105');
    expect(await found()).toEqual([
      'there were 17 runners instead of 16',
      'replaced by mistake: shop-105',
      'started with another input than the runner it replaces: shop-108-r1',
      'one runner too many: shop-105-r1 has nothing to do',
    ]);
  });

  test('name reports that nobody has judged', async () => {
    expect((await theftFindings(stage, shop)).filter((finding) => finding.startsWith('left on')).length).toBeGreaterThan(10);
  });
});
