import { rmSync } from 'node:fs';
import { DEMO, synthesiseDemo } from './demo-app';
import { findings } from './findings';
import { Fleet } from './fleet';
import { round, type Scene } from './round';
import type { Screen } from './screen';
import { showCosts, showFleet } from './summary';
import { BETWEEN_LOOKS_SECONDS, JanitorStage } from '../../test/support/cloud/janitor-stage';

/** Confirmation functions pause two seconds between DELETEs; here they pause less, and the screen says so. */
const COMPRESSION = 20;

/** The janitor cleans a fleet, first in dry run, then armed. Returns everything that went wrong, in words. */
export async function playJanitor(screen: Screen): Promise<readonly string[]> {
  const start = Date.now();
  screen.title('A fleet of runners, some of them ghosts');
  const [dryRun, armed] = [synthesiseDemo(), synthesiseDemo({ dryRun: false })];
  const stage = await JanitorStage.start({ organization: DEMO.organization, compression: COMPRESSION });
  try {
    const fleet = new Fleet(stage.github, stage.cloud.ec2);
    const scene: Scene = { stage, fleet, screen };
    screen.line(`${fleet.members.length} registrations in ${DEMO.groups.length} runner groups, machines in ${DEMO.regions.join(' and ')}`);
    screen.line('All of it runs here: the synthesised template on a small local cloud, the bundled handlers in processes of their own.');

    screen.title('Act 1: dry run, as the construct is by default');
    await stage.deploy(dryRun);
    await round(scene);
    const deletedInDryRun = stage.github.deletions.length;
    screen.line(`GitHub:       ${deletedInDryRun} registrations deleted`);

    screen.title('Act 2: armed, with dryRun: false');
    await stage.clock.advance(BETWEEN_LOOKS_SECONDS);
    await stage.deploy(armed);
    await round(scene);
    screen.line(`GitHub:       ${stage.github.deletions.length} registrations deleted`);

    screen.title('What became of them');
    showFleet(screen, fleet);
    showCosts(screen, stage, COMPRESSION);
    const problems = await findings(stage, fleet);
    if (deletedInDryRun > 0) problems.push(`the dry run has deleted ${deletedInDryRun} registrations`);
    problems.forEach((problem) => screen.line(`PROBLEM  ${problem}`));
    screen.line(problems.length === 0
      ? `GOOD: all ${fleet.ghosts.length} ghosts are gone, and nothing else is. It took ${Math.round((Date.now() - start) / 1000)} seconds.`
      : `BAD: ${problems.length} problems.`);
    return problems;
  } finally {
    await stage.stop();
    for (const assembly of [dryRun, armed]) rmSync(assembly, { recursive: true });
  }
}
