import type { Context } from 'aws-lambda';
import { handling } from './aws/handling';
import { telemetry } from './aws/telemetry';
import type { DiscoveryPorts } from './janitor/discover';
import { discover } from './janitor/discover';
import { describeViolation } from './janitor/discovery-report';
import { endingMachine, nominate } from './janitor/nominate';
import { isViolationAFault } from './janitor/verdict';
import type { Invocation, Janitor } from './janitor-wiring';
import { credentialMetrics, janitorWiring } from './janitor-wiring';
import { janitorConfig } from './shared/config';
import { JanitorError } from './shared/errors';

const tell = telemetry();
let janitor: Janitor | undefined;

/**
 * The first look, on schedule. Fails the invocation, after everything that can be done is done, when somebody has to act.
 * The end of a machine, where such events are sent here, only nominates its runner.
 */
export const handler = handling(async (event: unknown, context: Context): Promise<void> => {
  tell.begin(context);
  janitor ??= janitorWiring(janitorConfig(process.env), tell);
  const ending = endingMachine(event);
  if (ending !== undefined) return nominate(janitor.nomination(context), ending, janitor.config.nominationTags);
  await firstLook(await janitor.firstLook(context));
});

async function firstLook({ ports, policy, github }: Invocation<DiscoveryPorts>): Promise<void> {
  const report = await discover(ports, policy);

  const level = isViolationAFault(policy) ? 'error' : 'info';
  for (const violation of report.violations) {
    tell.log[level](describeViolation(violation), { id: violation.runner.id, runner: violation.runner.name });
  }
  for (const stuck of report.stuck) tell.log.warn('stuck ghost: offline and busy although the machine is gone; GitHub refuses to delete it', stuck);
  tell.log.info('first look finished', { ...report.summary(), dryRun: policy.dryRun, quotas: github.quotas, trouble: github.trouble });
  tell.count({ ...report.metrics(), ...credentialMetrics(github) });
  if (report.failures.length > 0) throw new JanitorError(`the first look failed: ${report.failures.join('; ')}`);
}
