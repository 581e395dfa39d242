import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { DEMO, synthesiseDemo } from '../examples/demo/demo-app';
import { findings } from '../examples/demo/findings';
import { Fleet } from '../examples/demo/fleet';
import { JanitorStage } from './support/cloud/janitor-stage';

jest.setTimeout(180_000);

const ROOT = join(__dirname, '..');

test('the demo ends well and tells what was kept and what was deleted, also where there is no terminal', async () => {
  const demo = spawn(process.execPath, [join(ROOT, 'node_modules/tsx/dist/cli.mjs'), 'examples/demo/demo.ts'], { cwd: ROOT });
  const output: string[] = [];
  for (const stream of [demo.stdout, demo.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => output.push(chunk));
  const code = await new Promise((resolve) => demo.on('close', resolve));
  const text = output.join('');
  expect(text).toMatch(/80 would be deleted/);
  expect(text).toMatch(/together +353 +273 +80\n/);
  expect(text).toMatch(/GOOD: all 80 ghosts are gone, and nothing else is/);
  expect(text).not.toMatch(/\u001b|\r|PROBLEM/);
  expect(code).toBe(0);
});

describe('the findings that decide the exit code', () => {
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
