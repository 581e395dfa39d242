import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO } from './demo-app';
import type { Fleet } from './fleet';
import type { Screen } from './screen';
import type { JanitorStage } from '../../test/support/cloud/janitor-stage';

export interface Scene {
  readonly stage: JanitorStage;
  readonly fleet: Fleet;
  readonly screen: Screen;
}

/** One first look, the quarter of an hour after it, and the second look. */
export async function round({ stage, fleet, screen }: Scene): Promise<void> {
  const { github, cloud } = stage;
  fleet.registerNewcomers();
  const asked = counter(() => github.requests.length);
  const described = counter(() => cloud.gateway.recorder.count('ec2:DescribeInstances'));
  await watch(screen, () => `first look ... ${asked()} requests to GitHub`, stage.firstLook());
  screen.line(`first look:   ${github.runners(DEMO.organization).length} registrations, ${cloud.function('Discovery').metrics.Candidates ?? 0} of them candidates`
    + ` (${asked()} requests to GitHub, ${described()} to EC2)`);

  fleet.bootNewcomers();
  screen.line('              15 minutes pass: compressed to a moment by moving the clock of every part; template and handlers are as they are');

  const askedAgain = counter(() => github.requests.length);
  const deleted = counter(() => github.deletions.length);
  await watch(screen, () => `second look ... ${deleted()} deleted, ${askedAgain()} requests to GitHub`, stage.secondLook());
  screen.line(`second look:  ${outcomes(cloud.function('Confirmation').metrics)} (${askedAgain()} requests to GitHub)`);
}

/** Counts from now on. */
function counter(count: () => number): () => number {
  const start = count();
  return () => count() - start;
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
  WouldDelete: 'would be deleted',
  Deleted: 'deleted',
  MachinePresent: 'kept, the machine is there now',
  CameOnline: 'kept, it is online now',
  BecameBusy: 'kept, it has a job now',
};

function outcomes(metrics: Readonly<Record<string, number>>): string {
  return Object.entries(metrics).map(([name, count]) => `${count} ${WORDS[name] ?? name}`).join(', ') || 'nothing to do';
}
