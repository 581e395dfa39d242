import { Ec2Server } from '../lambda-src/compute/ec2-server';
import { FakeGitHub } from '../support/fake-github/fake-github';

const OWNER = 'acme';
const PREFIX = 'p_';
const REGIONS = ['eu-west-1', 'us-east-1'] as const;
const APP_ID = 7;

/** GitHub allows no more in one group. */
const GROUP_SIZE = 10_000;

/** Spread over the whole fleet; fewer than the budget of one run, so that a run reads every group. */
const GHOSTS = 40;

export interface Fleet {
  readonly github: FakeGitHub;
  readonly ec2: Ec2Server;
  readonly owner: string;
  readonly prefix: string;
  readonly regions: readonly string[];
  readonly app: { readonly appId: number; readonly privateKey: string };
  readonly groups: readonly { readonly name: string; readonly size: number }[];
  readonly ghosts: ReadonlySet<number>;
}

/** So many registrations: most of them alive, some stopped, some of somebody else, and ghosts of both kinds of evidence. */
export async function startFleet(registrations: number, now: () => number): Promise<Fleet> {
  const [github, ec2] = await Promise.all([FakeGitHub.start({ now }), Ec2Server.start()]);
  const app = github.addApp({ appId: APP_ID, limit: 15_000 });
  github.addOrganization(OWNER);
  github.install(APP_ID, { owner: OWNER });

  const groups: { name: string; size: number }[] = [];
  const ghosts = new Set<number>();
  let groupId = 0;
  for (let index = 0; index < registrations; index += 1) {
    if (index % GROUP_SIZE === 0) {
      const name = `fleet-${groups.length + 1}`;
      groups.push({ name, size: Math.min(GROUP_SIZE, registrations - index) });
      groupId = github.addGroup(OWNER, { name });
    }
    const id = `i-${index.toString(16).padStart(17, '0')}`;
    const region = REGIONS[index % REGIONS.length]!;
    if (index % (registrations / GHOSTS) === 0) {
      ghosts.add(github.addRunner(OWNER, groupId, { name: `${PREFIX}${id}`, status: 'offline' }).id);
      if (ghosts.size % 2 === 0) ec2.machine(region, id, 'terminated');
    } else if (index % 10 === 9) {
      github.addRunner(OWNER, groupId, { name: `build-host-${index}`, status: 'offline' });
    } else {
      const stopped = index % 10 > 6;
      github.addRunner(OWNER, groupId, { name: `${PREFIX}${id}`, status: stopped ? 'offline' : 'online', busy: index % 10 < 3 });
      ec2.machine(region, id, stopped ? 'stopped' : 'running');
    }
  }
  return { github, ec2, owner: OWNER, prefix: PREFIX, regions: REGIONS, app, groups, ghosts };
}

export async function stopFleet({ github, ec2 }: Fleet): Promise<void> {
  await Promise.all([github.stop(), ec2.stop()]);
}
