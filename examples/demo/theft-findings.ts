import { cloudFindings } from './cloud-findings';
import { RUNNERS_IN_THE_END, type Shop } from './shop';
import { EXPECTED } from './theft-story';
import type { DetectorStage } from '../../test/support/cloud/detector-stage';

/** Everything that would make the act of the stolen runners a failure, in words; empty when all is well. The judge's own word plays no part in it. */
export async function theftFindings({ cloud, privateKey, webhookSecret }: DetectorStage, shop: Shop): Promise<string[]> {
  const executions = cloud.stepFunctions.all();
  const robbed = [...EXPECTED.thefts, ...EXPECTED.debts];
  const replacements = executions.filter(({ name }) => name.endsWith('-r1'));
  const replaced = replacements.map(({ name }) => name.replace(/-r1$/, ''));
  return [
    ...executions.length === RUNNERS_IN_THE_END ? [] : [`there were ${executions.length} runners instead of ${RUNNERS_IN_THE_END}`],
    ...robbed.filter((name) => !replaced.includes(name)).map((name) => `not replaced: ${name}`),
    ...replaced.filter((name) => !robbed.includes(name)).map((name) => `replaced by mistake: ${name}`),
    ...replacements.filter(({ name, input }) => input !== cloud.stepFunctions.find(name.replace(/-r1$/, ''))?.input)
      .map(({ name }) => `started with another input than the runner it replaces: ${name}`),
    ...shop.waiting.map((job) => `no runner is left for job ${job}`),
    ...shop.idle.map((name) => `one runner too many: ${name} has nothing to do`),
    ...await cloudFindings(cloud, { secrets: { 'the private key': privateKey.split('\n')[1]!, 'the secret of the webhook': webhookSecret } }),
  ];
}
