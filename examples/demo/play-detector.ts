import { rmSync } from 'node:fs';
import { SHOP, synthesiseRunnerStack } from './runner-app';
import type { Screen } from './screen';
import { Shop } from './shop';
import { theftFindings } from './theft-findings';
import { EXPECTED, STORY } from './theft-story';
import { showTheftCosts, showThefts } from './theft-summary';
import { DetectorStage } from '../../test/support/cloud/detector-stage';

/** A detector in a home-made runner stack, while runners are stolen. Returns everything that went wrong, in words. */
export async function playDetector(screen: Screen): Promise<readonly string[]> {
  const start = Date.now();
  screen.title('Act 3: stolen runners');
  const assembly = synthesiseRunnerStack();
  const stage = await DetectorStage.start({ organization: SHOP.organization, repositories: [SHOP.repository, SHOP.outsider] });
  try {
    await stage.deploy(assembly);
    const shop = new Shop(stage);
    screen.progress('runners are started ...');
    await shop.startRunners();
    screen.line(`${SHOP.repository}: ${STORY.length} jobs are queued, and the runner stack starts ${STORY.length} runners: one execution of its state machine each`);
    screen.progress('jobs are picked up ...');
    await shop.tellStory();
    screen.line(`${SHOP.outsider}, which starts no runners, takes ${EXPECTED.thefts.length}; two runners swap their jobs; one dies unused; a job prints another runner's name.`);
    screen.line('Webhooks come twice, and the last one first. One theft is told by the log alone, one by the webhook alone.');

    screen.progress('reports are judged ...');
    const waited = await stage.judgeAll();
    screen.line(`${waited} seconds pass, compressed to a moment; ${shop.idle.length} runners have been started for the ${shop.waiting.length} jobs that wait`);
    await shop.handOut();
    screen.progress('reports of the replacements are judged ...');
    await stage.judgeAll();
    await shop.finish();

    screen.title('Who stole what');
    showThefts(screen, stage, shop);
    showTheftCosts(screen, stage);
    const problems = await theftFindings(stage, shop);
    problems.forEach((problem) => screen.line(`PROBLEM  ${problem}`));
    screen.line(problems.length === 0
      ? `GOOD: every job had its runner, and no runner is left over. It took ${Math.round((Date.now() - start) / 1000)} seconds.`
      : `BAD: ${problems.length} problems.`);
    return problems;
  } finally {
    await stage.stop();
    rmSync(assembly, { recursive: true });
  }
}
