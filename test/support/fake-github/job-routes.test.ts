import { ask } from './ask';
import { FakeGitHub } from './fake-github';

let github: FakeGitHub;
const token = 'ghp_owner';

beforeEach(async () => {
  github = await FakeGitHub.start();
  github.addToken(token);
  github.addOrganization('acme');
  github.addRepository('acme/tools');
  github.addJob('acme/tools', { id: 1, run_id: 9, run_attempt: 1, status: 'completed', runner_id: 4, runner_name: 'r4' });
  github.addJob('acme/tools', { id: 2, run_id: 9, run_attempt: 2 });
  github.addJob('acme/tools', { id: 3, run_id: 10 });
});

afterEach(() => github.stop());

const idsOf = async (path: string) => (await ask(github.url, `/repos/acme/tools/actions${path}`, { token })).body.jobs?.map((job: { id: number }) => job.id);

test('a run shows its latest attempt, all attempts when asked, or one of them', async () => {
  expect(await idsOf('/runs/9/jobs')).toEqual([2]);
  expect(await idsOf('/runs/9/jobs?filter=latest')).toEqual([2]);
  expect(await idsOf('/runs/9/jobs?filter=all')).toEqual([1, 2]);
  expect(await idsOf('/runs/9/attempts/1/jobs')).toEqual([1]);
});

test('unknown runs, attempts and jobs are not found', async () => {
  const paths = ['/runs/99/jobs', '/runs/9/attempts/3/jobs', '/jobs/99'];
  const told = await Promise.all(paths.map((path) => ask(github.url, `/repos/acme/tools/actions${path}`, { token })));
  expect(told.map(({ status }) => status)).toEqual([404, 404, 404]);
});

test('a job is picked up when it is told so', async () => {
  github.updateJob('acme/tools', 3, { status: 'in_progress', runner_id: 8, runner_name: 'r8' });
  const { body } = await ask(github.url, '/repos/acme/tools/actions/jobs/3', { token });
  expect(body).toMatchObject({ status: 'in_progress', runner_id: 8, runner_name: 'r8' });
  expect(() => github.updateJob('acme/tools', 99, {})).toThrow('acme/tools has no job 99');
});

test('a waiting job can look as GitHub really sends it, with 0 and an empty name', async () => {
  github.addJob('acme/tools', { id: 4, run_id: 11, runner_id: 0, runner_name: '' });
  const { body } = await ask(github.url, '/repos/acme/tools/actions/jobs/4', { token });
  expect(body).toMatchObject({ status: 'queued', conclusion: null, runner_id: 0, runner_name: '' });
});
