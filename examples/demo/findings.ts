import type { Fleet } from './fleet';
import { declaredQueues } from '../../test/support/cloud/declared';
import type { LocalCloud } from '../../test/support/cloud/local-cloud';
import type { FakeGitHub } from '../../test/support/fake-github/fake-github';

/** Everything that would make the demo a failure, in words; empty when all is well. */
export async function findings(fleet: Fleet, github: FakeGitHub, cloud: LocalCloud, secrets: readonly string[]): Promise<readonly string[]> {
  const expected = new Set(fleet.ghosts.map(({ id }) => id));
  const named = new Map(fleet.members.map(({ id, name }) => [id, name]));
  const { recorder, principals, failures } = cloud.gateway;
  return [
    ...github.deletions.filter((id) => !expected.has(id)).map((id) => `deleted by mistake: ${named.get(id) ?? id}`),
    ...fleet.ghosts.filter((ghost) => fleet.isRegistered(ghost)).map(({ name }) => `a ghost is left: ${name}`),
    ...fleet.members.filter((member) => !member.kind.ghost && !fleet.isRegistered(member)).map(({ name }) => `a registration is missing: ${name}`),
    ...recorder.denied.map(({ principal, action, region }) => `not allowed by the template's policies: ${action} in ${region} by ${principal}`),
    ...recorder.unused(principals.values()).map((line) => `allowed by the template's policies, but never used: ${line}`),
    ...cloud.proxy.refused.map((host) => `a function tried to reach ${host}`),
    ...failures.map((error) => `the local cloud itself failed: ${String(error)}`),
    ...secrets.filter((secret) => cloud.logs.some((line) => line.includes(secret))).map(() => 'a secret stands in a log line'),
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
