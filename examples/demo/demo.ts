import { DEMO, synthesiseDemo } from './demo-app';
import { findings } from './findings';
import { Fleet } from './fleet';
import { FLEET_KINDS } from './fleet-kinds';
import { round, type Scene } from './round';
import { Screen } from './screen';
import { LocalCloud } from '../../test/support/cloud/local-cloud';
import { VirtualClock } from '../../test/support/cloud/virtual-clock';
import { FakeGitHub } from '../../test/support/fake-github/fake-github';

/** Confirmation functions pause two seconds between DELETEs; here they pause less, and the screen says so. */
const COMPRESSION = 20;

const BETWEEN_ROUNDS_SECONDS = 15 * 60;

/** `npx projen demo`: the library's janitor cleans a fleet, on this machine alone. */
async function demo(screen: Screen): Promise<boolean> {
  const start = Date.now();
  screen.title('A fleet of runners, some of them ghosts');
  const clock = new VirtualClock();
  const github = await FakeGitHub.start({ now: clock.now });
  const cloud = await LocalCloud.start({ clock, github: github.handler, compression: COMPRESSION });
  try {
    const fleet = new Fleet(github, cloud.ec2);
    const { privateKey } = github.addApp({ appId: 4711 });
    github.install(4711, { owner: DEMO.organization });
    screen.line(`${fleet.members.length} registrations in ${DEMO.groups.length} runner groups, machines in ${DEMO.regions.join(' and ')}`);
    screen.line('Everything runs here: the synthesised template on a small local cloud, the bundled handlers in processes of their own.');
    const scene: Scene = { cloud, github, fleet, screen };

    screen.title('Act 1: dry run, as the construct is by default');
    await cloud.deploy(synthesiseDemo());
    cloud.secrets.put(cloud.template.ref(cloud.template.ofType('AWS::SecretsManager::Secret')[0]!.logicalId), JSON.stringify({ appId: 4711, privateKey }));
    await round(scene);
    if (github.deletions.length > 0) screen.line('A DRY RUN HAS DELETED SOMETHING');
    const dryRunDeletions = github.deletions.length;

    screen.title('Act 2: armed, dryRun: false');
    await clock.advance(BETWEEN_ROUNDS_SECONDS);
    await cloud.deploy(synthesiseDemo({ dryRun: false }));
    await round(scene);

    screen.title('What became of them');
    showFleet(screen, fleet);
    screen.line('');
    showCosts(screen, scene);
    const problems = [...await findings(fleet, github, cloud, [privateKey.split('\n')[1]!]), ...(dryRunDeletions > 0 ? ['the dry run has deleted something'] : [])];
    problems.forEach((problem) => screen.line(`PROBLEM  ${problem}`));
    screen.line(problems.length === 0
      ? `All ${fleet.ghosts.length} ghosts are gone, and nothing else is. ${Math.round((Date.now() - start) / 1000)} seconds.`
      : `${problems.length} problems. This is not how it should be.`);
    return problems.length === 0;
  } finally {
    await cloud.stop();
    await github.stop();
  }
}

function showFleet(screen: Screen, fleet: Fleet): void {
  const counted = FLEET_KINDS.map((kind) => {
    const all = fleet.members.filter((member) => member.kind === kind);
    const kept = all.filter((member) => fleet.isRegistered(member)).length;
    return { kind, all: all.length, kept, deleted: all.length - kept };
  });
  const total = (key: 'all' | 'kept' | 'deleted') => String(counted.reduce((sum, row) => sum + row[key], 0));
  screen.table(
    ['registration', 'were', 'kept', 'deleted', 'because'],
    counted.map(({ kind, all, kept, deleted }) => [kind.title, String(all), String(kept), String(deleted), kind.why]),
    ['together', total('all'), total('kept'), total('deleted'), ''],
  );
}

function showCosts(screen: Screen, { github, cloud }: Scene): void {
  const { recorder } = cloud.gateway;
  const deletes = github.count({ method: 'DELETE' });
  const lists = github.count({ method: 'GET', path: /\/runner-groups(\/\d+\/runners)?$/ });
  const finds = github.count({ method: 'GET', path: /\/actions\/runners\/\d+$/ });
  screen.line(`GitHub: ${github.requests.length} requests: ${lists} lists, ${finds} single registrations, ${deletes} DELETE, `
    + `${github.requests.length - lists - finds - deletes} to log in. No other host was contacted${cloud.proxy.refused.length > 0 ? '? SEE BELOW' : ''}.`);
  screen.line(`AWS:    ${recorder.calls.length} calls, ${recorder.count('ec2:DescribeInstances')} of them DescribeInstances; `
    + 'each was checked against the policies of the synthesised roles.');
  screen.line(`Clock:  both waits of 15 minutes were compressed, and the pauses between DELETEs shortened ${COMPRESSION} times, from outside.`);
}

demo(new Screen()).then((good) => { process.exitCode = good ? 0 : 1; }, (error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
