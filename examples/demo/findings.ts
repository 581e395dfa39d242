import type { Fleet } from './fleet';
import { USED_BY_LAMBDA_ITSELF } from '../../test/support/cloud/call-recorder';
import { declaredQueues } from '../../test/support/cloud/declared';
import type { JanitorStage } from '../../test/support/cloud/janitor-stage';
import type { LocalCloud } from '../../test/support/cloud/local-cloud';

/** Allowed for what cannot happen here, and made to happen in test/end-to-end.test.ts. */
const NOT_IN_THE_DEMO = { 'sqs:ChangeMessageVisibility': 'for a candidate that is delivered too early' };

/** Everything that would make the demo a failure, in words; empty when all is well. */
export async function findings({ github, cloud, privateKey }: JanitorStage, fleet: Fleet): Promise<string[]> {
  const ghosts = new Set(fleet.ghosts.map(({ id }) => id));
  const names = new Map(fleet.members.map(({ id, name }) => [id, name]));
  const { recorder, principals, failures } = cloud.gateway;
  const keyLine = privateKey.split('\n')[1]!;
  return [
    ...github.deletions.filter((id) => !ghosts.has(id)).map((id) => `deleted by mistake: ${names.get(id) ?? id}`),
    ...fleet.ghosts.filter((ghost) => fleet.isRegistered(ghost)).map(({ name }) => `a ghost is left: ${name}`),
    ...recorder.denied.map(({ principal, action, region }) => `not allowed by the template's policies: ${action} in ${region} by ${principal}`),
    ...recorder.unused(principals.values(), { ...USED_BY_LAMBDA_ITSELF, ...NOT_IN_THE_DEMO })
      .map((line) => `allowed by the template's policies, but never used: ${line}`),
    ...cloud.proxy.refused.map((host) => `a function tried to reach ${host}`),
    ...failures.map((error) => `the local cloud itself failed: ${String(error)}`),
    ...cloud.logs.some((line) => line.includes(keyLine)) ? ['the private key stands in a log line'] : [],
    ...await leftOnQueues(cloud),
  ];
}

async function leftOnQueues(cloud: LocalCloud): Promise<readonly string[]> {
  const left = await Promise.all(declaredQueues(cloud.template).map(async ({ name, url }) => {
    const { bodies } = await cloud.sqs.contents(url);
    return bodies.map((body) => `left on ${name}: ${body}`);
  }));
  return left.flat();
}
