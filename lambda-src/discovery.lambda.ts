import type { Context } from 'aws-lambda';
import { telemetry } from './aws/telemetry';
import { discover } from './janitor/discover';
import { describeViolation } from './janitor/discovery-report';
import { credentialMetrics, janitorWiring } from './janitor-wiring';
import { janitorConfig } from './shared/config';
import { JanitorError } from './shared/errors';

const tell = telemetry();
let invoke: ReturnType<typeof janitorWiring> | undefined;

/** The first look, on schedule. Fails the invocation, after everything that can be done is done, when somebody has to act. */
export async function handler(_event: unknown, context: Context): Promise<void> {
  tell.begin(context);
  invoke ??= janitorWiring(janitorConfig(process.env), tell);
  const { ports, policy, github } = await invoke(context, false);
  const report = await discover(ports, policy);

  for (const violation of report.violations) tell.log.error(describeViolation(violation), { id: violation.runner.id, runner: violation.runner.name });
  for (const stuck of report.stuck) tell.log.warn('stuck ghost: offline and busy although the machine is gone; GitHub refuses to delete it', stuck);
  tell.log.info('first look finished', { ...report.summary(), dryRun: policy.dryRun, quotas: github.quotas, trouble: github.trouble });
  tell.count({ ...report.metrics(), ...credentialMetrics(github) });
  if (report.failures.length > 0) throw new JanitorError(`the first look failed: ${report.failures.join('; ')}`);
}
