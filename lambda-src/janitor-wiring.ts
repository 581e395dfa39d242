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
import type { CandidateQueue } from './janitor/ports';
import { readingDeadline } from './janitor/reading-deadline';
import type { JanitorConfig } from './shared/config';
import { Deadline } from './shared/deadline';
import { DISCOVERY_METRICS } from '../src/contract/janitor-metrics';

/** One invocation of either function, ready to go. */
export interface Invocation<Ports extends DiscoveryPorts | ConfirmationPorts> {
  readonly ports: Ports;
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

  /**
   * @param deadline of everything but the queue
   * @param sticky one App serves the whole invocation as long as it can
   */
  const invocation = async <D extends Deadline>(deadline: D, queue: CandidateQueue, sticky: boolean) => {
    deadline.check('authentication');
    const registrations = await github.session(deadline, { sticky });
    return {
      ports: { registrations, machines: machines(deadline), queue, deadline, log, sleep, now: Date.now, random: Math.random },
      policy: {
        ...config,
        scope: scopeDigest(registrations.apiUrl, config.scope, config.compute, config.evidence),
        groupKeys: groupKeysOf(config.scope),
      },
      github: registrations,
    };
  };

  return {
    config,

    async firstLook(context: Context): Promise<Invocation<DiscoveryPorts>> {
      const deadline = Deadline.after(context.getRemainingTimeInMillis());
      return invocation(readingDeadline(deadline), queueUntil(deadline), false);
    },

    /** Queues nothing, so that all of its time is for looking. */
    async secondLook(context: Context): Promise<Invocation<ConfirmationPorts>> {
      const deadline = Deadline.after(context.getRemainingTimeInMillis());
      return invocation(deadline, queueUntil(deadline), true);
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
