import { cloudFindings } from './cloud-findings';
import type { Fleet } from './fleet';
import type { JanitorStage } from '../../test/support/cloud/janitor-stage';

/** Allowed for what cannot happen here, and made to happen in test/end-to-end.test.ts. */
const NOT_IN_THE_DEMO = { 'sqs:ChangeMessageVisibility': 'for a candidate that is delivered too early' };

/** Everything that would make the janitor's acts a failure, in words; empty when all is well. */
export async function findings({ github, cloud, privateKey }: JanitorStage, fleet: Fleet): Promise<string[]> {
  const ghosts = new Set(fleet.ghosts.map(({ id }) => id));
  const names = new Map(fleet.members.map(({ id, name }) => [id, name]));
  return [
    ...github.deletions.filter((id) => !ghosts.has(id)).map((id) => `deleted by mistake: ${names.get(id) ?? id}`),
    ...fleet.ghosts.filter((ghost) => fleet.isRegistered(ghost)).map(({ name }) => `a ghost is left: ${name}`),
    ...await cloudFindings(cloud, { secrets: { 'the private key': privateKey.split('\n')[1]! }, unusedHere: NOT_IN_THE_DEMO }),
  ];
}
