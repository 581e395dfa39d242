import { USED_BY_LAMBDA_ITSELF } from '../../test/support/cloud/call-recorder';
import { declaredQueues } from '../../test/support/cloud/declared';
import type { LocalCloud } from '../../test/support/cloud/local-cloud';

export interface CloudFindingsOptions {
  /** what may stand in no log line, by name */
  readonly secrets: Readonly<Record<string, string>>;
  /** allowed for what cannot happen in the demo, with the reason */
  readonly unusedHere?: Readonly<Record<string, string>>;
}

/** Everything about permissions, network, secrets and queues that would make an act a failure, in words; empty when all is well. */
export async function cloudFindings(cloud: LocalCloud, { secrets, unusedHere }: CloudFindingsOptions): Promise<readonly string[]> {
  const { recorder, principals, failures } = cloud.gateway;
  return [
    ...recorder.denied.map(({ principal, action, region }) => `not allowed by the template's policies: ${action} in ${region} by ${principal}`),
    ...recorder.unused(principals.values(), { ...USED_BY_LAMBDA_ITSELF, ...unusedHere })
      .map((line) => `allowed by the template's policies, but never used: ${line}`),
    ...cloud.proxy.refused.map((host) => `a function tried to reach ${host}`),
    ...failures.map((error) => `the local cloud itself failed: ${String(error)}`),
    ...Object.entries(secrets).filter(([, secret]) => cloud.logs.some((line) => line.includes(secret))).map(([name]) => `${name} stands in a log line`),
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
