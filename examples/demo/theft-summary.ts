import { SHOP } from './runner-app';
import type { Screen } from './screen';
import type { Shop } from './shop';
import { runnerOf, STORY } from './theft-story';
import type { DetectorStage } from '../../test/support/cloud/detector-stage';

/** What the judge says of a runner in its log. */
interface Theft {
  readonly runner: string;
  readonly reason: 'outsider' | 'debt' | 'labels';
  readonly thief: { readonly repository: string; readonly jobId?: number };
  readonly replacement: { readonly name?: string };
}

/** One row for each runner that the runner stack started: what it ran, what the judge says of that, and which runner was started instead. */
export function showThefts(screen: Screen, stage: DetectorStage, shop: Shop): void {
  const thefts = stage.cloud.function('Judge').records.filter((record) => record.verdict === 'stolen' && record.level === 'WARN') as unknown as readonly Theft[];
  const rows = STORY.map((fate) => {
    const name = runnerOf(fate);
    const ran = shop.pickUps.find(({ runner }) => runner === name);
    const theft = thefts.find(({ runner }) => runner === name);
    const replacement = theft?.replacement.name ?? '';
    return [name, String(fate.job), ran ? `job ${ran.job} of ${ran.repository}` : 'died unused', verdict(fate.job, ran?.job, theft), replacement, jobOf(shop, replacement)];
  });
  const replacements = rows.filter(([, , , , replacement]) => replacement !== '').length;
  screen.table(['runner', 'for', 'ran', 'judged', 'replaced by', 'which ran'], rows, [`${rows.length} runners`, '', '', '', `${replacements} replacements`, '']);
}

function verdict(own: number, ran: number | undefined, theft: Theft | undefined): string {
  if (theft?.reason === 'outsider') return `STOLEN by ${theft.thief.repository}`;
  if (theft) return `STOLEN for job ${theft.thief.jobId}, whose own runner died`;
  if (ran === undefined) return '';
  return ran === own ? 'its own job' : 'swapped, nobody is missing';
}

function jobOf(shop: Shop, runner: string): string {
  const ran = shop.pickUps.find((pickUp) => pickUp.runner === runner);
  return ran ? `job ${ran.job}` : '';
}

/** What the act took. */
export function showTheftCosts(screen: Screen, { github, cloud }: DetectorStage): void {
  const { recorder } = cloud.gateway;
  const count = (action: string) => recorder.count(action, cloud.function('Judge').declared.name);
  const jobs = github.count({ method: 'GET', path: new RegExp(`^/repos/(${SHOP.repository}|${SHOP.outsider})/actions/`) });
  const { StolenByOutsider = 0, StolenByDebt = 0, ForgedReports = 0 } = cloud.function('Judge').metrics;
  screen.line(`judged: ${StolenByOutsider} stolen by an outsider, ${StolenByDebt} for a job whose own runner had died, ${ForgedReports} forged report that proved nothing`);
  screen.line(`GitHub: ${github.requests.length} requests, ${jobs} of them about jobs`);
  screen.line(`AWS:    ${count('states:DescribeExecution')} DescribeExecution, ${count('states:StartExecution')} StartExecution, ${count('dynamodb:GetItem')} reads of the table by the judge; `
    + `${recorder.calls.length} calls in all, each checked against the policies of the synthesised roles`);
}
