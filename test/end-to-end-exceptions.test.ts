import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { JanitorStage } from './support/cloud/janitor-stage';
import { janitorIn } from './support/synth';

/** What is configured beside scope and machines, and what a person has to be told of, on a synthesised app and its bundled handlers. */

jest.setTimeout(120_000);

const ORGANIZATION = 'acme';
const PREFIX = 'gh-';
const PHANTOM = `${PREFIX}i-ffffffffffffffffa`;

let assembly: string;
let stage: JanitorStage;
let group: number;
let serial: number;

beforeAll(() => {
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'janitor-exceptions-')), analyticsReporting: false });
  janitorIn(new Stack(app, 'Fleet'), { dryRun: false, protectedLabels: ['keep'], acknowledgedForeignRunners: [PHANTOM] });
  assembly = app.synth().directory;
});

beforeEach(async () => {
  stage = await JanitorStage.start({ organization: ORGANIZATION, compression: 50 });
  group = stage.github.addGroup(ORGANIZATION, { name: 'linux' });
  serial = 0;
  await stage.deploy(assembly);
});

afterEach(async () => {
  await stage.stop();
  expect(stage.cloud.gateway.failures).toEqual([]);
});

/** A registration whose machine no region knows. */
function add(options: { readonly name?: string; readonly status?: 'online' | 'offline'; readonly busy?: boolean; readonly labels?: readonly string[] } = {}) {
  return stage.github.addRunner(ORGANIZATION, group, { name: `${PREFIX}i-${(serial++).toString(16).padStart(17, '0')}`, ...options });
}

const registered = () => stage.github.runners(ORGANIZATION).map(({ id }) => id);
const discovery = () => stage.cloud.function('Discovery');
const confirmation = () => stage.cloud.function('Confirmation');
/** Log lines of one level, without the fields that every line has. */
const lines = (of: { readonly records: readonly Record<string, unknown>[] }, level: string) => of.records
  .filter((record) => record.level === level)
  .map(({ message, id, runner, name, group: place }) => ({ message, id, runner, name, group: place }));

test('what is protected, stuck or acknowledged stays, without stopping the others, and what is stuck is named', async () => {
  const labelled = add({ labels: ['self-hosted', 'Keep'] });
  const labelledLater = add();
  const stuck = add({ busy: true });
  const phantom = add({ name: PHANTOM, status: 'online' });
  const ghost = add();
  await stage.firstLook();
  stage.github.updateRunner(ORGANIZATION, labelledLater.id, { labels: ['self-hosted', 'keep'] });
  await stage.secondLook();
  expect(registered()).toEqual([labelled, labelledLater, stuck, phantom].map(({ id }) => id));
  expect(stage.github.deletions).toEqual([ghost.id]);
  expect(discovery().metrics).toEqual({ Candidates: 2, StuckBusy: 1, FirstLooksSucceeded: 1 });
  expect(confirmation().metrics).toEqual({ Protected: 1, Deleted: 1 });
  expect(lines(discovery(), 'WARN')).toMatchObject([{ message: expect.stringContaining('stuck ghost'), id: stuck.id, name: stuck.name, group: 'linux' }]);
  expect(lines(confirmation(), 'ERROR')).toEqual([]);
});

test('an online runner without a machine that nobody has acknowledged fails the first look, which names it in a line of its own', async () => {
  const suspect = add({ status: 'online' });
  const ghost = add();
  await expect(stage.firstLook()).rejects.toThrow(`scope suspect: runner ${suspect.name}`);
  expect(lines(discovery(), 'ERROR')).toContainEqual(
    { message: expect.stringMatching(/^scope suspect: .* is online, but its machine .* is in none/), id: suspect.id, runner: suspect.name, name: undefined, group: undefined },
  );
  expect(discovery().metrics).toMatchObject({ ScopeViolations: 1 });
  await stage.secondLook();
  expect(registered()).toEqual([suspect.id, ghost.id]);
});

describe('a DELETE that answers 403', () => {
  const SAID = 'every DELETE of this batch was refused: the credential lacks the permission to delete runners';

  test('to all of a batch is a missing permission, and said so', async () => {
    const ghosts = [add().id, add().id];
    stage.github.fault({ method: 'DELETE' }, 'permission403');
    await stage.firstLook();
    await stage.secondLook();
    expect(confirmation().metrics).toEqual({ Refused: 2 });
    expect(lines(confirmation(), 'ERROR')).toMatchObject([{ message: SAID }]);
    expect(registered()).toEqual(ghosts);
  });

  test('to one of a batch is no more than counted', async () => {
    const special = add();
    add();
    stage.github.fault({ method: 'DELETE', path: new RegExp(`/${special.id}$`) }, 'permission403');
    await stage.firstLook();
    await stage.secondLook();
    expect(confirmation().metrics).toEqual({ Refused: 1, Deleted: 1 });
    expect(lines(confirmation(), 'ERROR')).toEqual([]);
  });
});
