import { setTimeout as pause } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { candidateQueue } from './aws/candidate-queue';
import { secretReader } from './aws/secret-reader';
import type { Telemetry } from './aws/telemetry';
import { machinesOf } from './compute/registry';
import { resolveCredentials } from './github/credentials';
import { createGitHub } from './github/github';
import type { GitHubSession } from './github/runners';
import { groupKeysOf, scopeDigest } from './janitor/candidate';
import type { ConfirmationPorts } from './janitor/confirm';
import type { DiscoveryPolicy, DiscoveryPorts } from './janitor/discover';
import type { NominationPorts } from './janitor/nominate';
import type { JanitorConfig } from './shared/config';
import { Deadline } from './shared/deadline';
import { DISCOVERY_METRICS } from '../src/contract/janitor-metrics';

/** One invocation of either function, ready to go. */
export interface Invocation {
  readonly ports: DiscoveryPorts & ConfirmationPorts;
  readonly policy: DiscoveryPolicy;
  readonly github: GitHubSession;
}

const sleep = async (milliseconds: number) => void await pause(milliseconds);

export type Janitor = ReturnType<typeof janitorWiring>;

/**
 * Builds what both functions of the janitor share. What is built here lives as long as the process (clients, tokens, quotas,
 * the pause between two DELETEs); what the returned functions build lives as long as one invocation.
 */
export function janitorWiring(config: JanitorConfig, { log }: Telemetry) {
  const github = createGitHub({
    config: { ...config, credentials: resolveCredentials(config.credentials, process.env) }, reader: secretReader(), log,
  });
  const machines = machinesOf(config.compute, log);
  const sqs = new SQSClient({ maxAttempts: 3 });

  const queueUntil = (deadline: Deadline) =>
    candidateQueue({ client: sqs, queueUrl: config.queueUrl, deadline, slot: Math.floor(Date.now() / config.interval), log });

  return {
    config,

    /** `sticky`: one App serves the whole invocation as long as it can */
    async invocation(context: Context, sticky: boolean): Promise<Invocation> {
      const deadline = Deadline.after(context.getRemainingTimeInMillis());
      deadline.check('authentication');
      const registrations = await github.session(deadline, { sticky });
      const queue = queueUntil(deadline);
      return {
        ports: { registrations, machines: machines(deadline), queue, deadline, log, sleep, now: Date.now, random: Math.random },
        policy: {
          ...config,
          scope: scopeDigest(registrations.apiUrl, config.scope, config.compute, config.evidence),
          groupKeys: groupKeysOf(config.scope),
        },
        github: registrations,
      };
    },

    /** Nothing in it reaches GitHub. */
    nomination(context: Context): NominationPorts {
      const deadline = Deadline.after(context.getRemainingTimeInMillis());
      return { machines: machines(deadline), queue: queueUntil(deadline), log };
    },
  };
}

/** How many credentials were of no or little use. */
export function credentialMetrics({ trouble }: GitHubSession): Record<string, number> {
  // being at a limit or at the reserve is no trouble of the credential
  return { [DISCOVERY_METRICS.credentialTrouble]: trouble.filter(({ reason }) => reason !== 'limit' && reason !== 'reserve').length };
}
