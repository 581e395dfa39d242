import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO } from './demo-app';
import type { Fleet } from './fleet';
import type { Screen } from './screen';
import type { LocalCloud } from '../../test/support/cloud/local-cloud';
import type { FakeGitHub } from '../../test/support/fake-github/fake-github';

export interface Scene {
  readonly cloud: LocalCloud;
  readonly github: FakeGitHub;
  readonly fleet: Fleet;
  readonly screen: Screen;
}

const DELAY_SECONDS = 15 * 60;

/** One first look, the quarter of an hour after it, and the second look. */
export async function round({ cloud, github, fleet, screen }: Scene): Promise<void> {
  fleet.registerNewcomers();
  const { requests } = github;
  const [discovery, confirmation] = [cloud.function('Discovery'), cloud.function('Confirmation')];
  const [start, described] = [requests.length, cloud.gateway.recorder.count('ec2:DescribeInstances')];

  const seen = github.runners(DEMO.organization).length;
  await watch(screen, () => `first look ... ${requests.length - start} requests to GitHub`, firstLook(cloud));
  screen.line(`first look:   ${seen} registrations read, ${discovery.metrics.Candidates ?? 0} candidates queued`
    + ` (${requests.length - start} requests to GitHub, ${cloud.gateway.recorder.count('ec2:DescribeInstances') - described} to EC2)`);

  fleet.bootNewcomers();
  await cloud.clock.advance(DELAY_SECONDS);
  screen.line('              15 minutes pass: compressed to a moment by moving the clock of all parts; queue and functions are as synthesised');

  const [second, deletions] = [requests.length, github.deletions.length];
  await watch(screen, () => `second look ... ${github.deletions.length - deletions} deleted, ${requests.length - second} requests to GitHub`, cloud.settle());
  screen.line(`second look:  ${outcomes(confirmation.metrics)} (${requests.length - second} requests to GitHub)`);
}

async function firstLook(cloud: LocalCloud): Promise<void> {
  for (const result of await cloud.runSchedules()) {
    if (result.kind !== 'returned') throw new Error(`the first look failed: ${JSON.stringify(result)}\n${cloud.logs.slice(-10).join('\n')}`);
  }
}

/** Shows how far it has come while it works. */
async function watch(screen: Screen, text: () => string, work: Promise<void>): Promise<void> {
  let done = false;
  const finished = work.finally(() => { done = true; });
  while (!done) {
    screen.progress(text());
    await Promise.race([finished, sleep(200)]);
  }
  await finished;
}

const WORDS: Readonly<Record<string, string>> = {
  WouldDelete: 'would be deleted', Deleted: 'deleted', MachinePresent: 'kept, the machine is there now', CameOnline: 'kept, it is online now', BecameBusy: 'kept, it has a job now',
};

function outcomes(metrics: Readonly<Record<string, number>>): string {
  const known = Object.entries(metrics).filter(([name]) => /^[A-Z]/.test(name));
  return known.map(([name, count]) => `${count} ${WORDS[name] ?? name}`).join(', ') || 'nothing to do';
}
