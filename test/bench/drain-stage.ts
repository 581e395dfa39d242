import type { DrainPlan } from './drain-plan';
import { FifoQueue } from './fifo-queue';
import { VirtualTime } from './virtual-time';
import { candidateQueue } from '../../lambda-src/aws/candidate-queue';
import { instanceIdOf } from '../../lambda-src/compute/ec2';
import { createGitHub } from '../../lambda-src/github/github';
import { scopeDigest } from '../../lambda-src/janitor/candidate';
import type { ConfirmationPorts } from '../../lambda-src/janitor/confirm';
import type { DiscoveryPolicy } from '../../lambda-src/janitor/discover';
import type { Log, Machines, MachineState } from '../../lambda-src/janitor/ports';
import { Deadline } from '../../lambda-src/shared/deadline';
import type { ComputeConfig, ScopeConfig } from '../../src/contract/janitor-config';
import { FakeGitHub } from '../support/fake-github/fake-github';

const OWNER = 'acme';
const PREFIX = 'p_';
const SCOPE: ScopeConfig = { kind: 'organization', owner: OWNER };
const COMPUTE: ComputeConfig = { kind: 'ec2', runnerNamePrefixes: [PREFIX], regions: ['eu-west-1'] };

/** GitHub allows no more in one group. */
const GROUP_SIZE = 10_000;

/** Alive in the full group. */
const WITNESSES = 100;

/** Of each request to GitHub, half of it before the request arrives. */
const LATENCY_MS = 200;

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What one invocation works with. */
export interface Invocation<D extends Deadline> {
  readonly ports: ConfirmationPorts & { readonly deadline: D };
  readonly policy: DiscoveryPolicy;
}

/** GitHub with all its limits, the queue and the machines, under one virtual time. */
export class DrainStage {
  static async start(plan: DrainPlan): Promise<DrainStage> {
    const time = new VirtualTime();
    const github = await FakeGitHub.start({ now: time.now });
    github.enforceSecondaryLimits = true;
    github.addOrganization(OWNER);
    const secrets = new Map<string, string>();
    for (let appId = 1; appId <= plan.apps; appId += 1) {
      secrets.set(`app-${appId}`, JSON.stringify(github.addApp({ appId, limit: plan.limit })));
      github.install(appId, { owner: OWNER });
    }
    return new DrainStage(plan, time, github, secrets);
  }

  readonly queue: FifoQueue;
  readonly ghosts = new Set<number>();
  /** the least that GitHub has ever told any App */
  quotaLeft = Infinity;
  private readonly machines = new Map<string, MachineState>();

  private readonly lookups: Machines = {
    resourceIdOf: (name) => instanceIdOf(name, COMPUTE.runnerNamePrefixes),
    lookup: async (ids) => new Map(ids.map((id) => [id, this.machines.get(id) ?? 'absent'])),
    namesOf: (id) => [`${PREFIX}${id}`],
    carries: async () => false,
  };

  private constructor(
    private readonly plan: DrainPlan, readonly time: VirtualTime, readonly github: FakeGitHub, private readonly secrets: ReadonlyMap<string, string>,
  ) {
    this.queue = new FifoQueue(time.now);
  }

  /**
   * Two groups: one is full, as far as GitHub allows, and nearly all of it ghosts; in the other one most are alive. Without anybody
   * alive in it a group would need to be read without a gap, which the deletions of the run before prevent now and then.
   */
  populate(ghosts: number, living: number): void {
    const [full, alive] = ['spot', 'steady'].map((name) => this.github.addGroup(OWNER, { name })) as [number, number];
    for (let index = 0; index < ghosts + living; index += 1) {
      const machine = `i-${index.toString(16).padStart(17, '0')}`;
      const isGhost = index < ghosts;
      const group = index < GROUP_SIZE - WITNESSES || index >= ghosts + living - WITNESSES ? full : alive;
      const { id } = this.github.addRunner(OWNER, group, { name: `${PREFIX}${machine}`, status: isGhost ? 'offline' : 'online' });
      if (isGhost) this.ghosts.add(id);
      else this.machines.set(machine, 'present');
    }
  }

  /**
   * What a function knows as long as its process lives; starts one invocation after the other.
   *
   * @param deadlineOf everything but the queue, in an invocation with the given deadline
   */
  sandbox<D extends Deadline>(timeoutSeconds: number, sticky: boolean, deadlineOf: (invocation: Deadline) => D): () => Promise<Invocation<D>> {
    const { now, sleep } = this.time;
    const github = createGitHub({
      config: {
        githubUrl: this.github.url,
        scope: SCOPE,
        credentials: { kind: 'apps', secrets: [...this.secrets.keys()] },
        quotaReserve: this.plan.reserve / this.plan.limit,
      },
      reader: { readSecret: async (name) => this.secrets.get(name)!, readParameter: async (name) => { throw new Error(`there is no parameter ${name}`); } },
      log: SILENT,
      now,
      sleep,
      fetch: this.fetch,
    });
    const interval = this.plan.intervalSeconds * 1000;
    return async () => {
      const end = Deadline.after(timeoutSeconds * 1000, now);
      const deadline = deadlineOf(end);
      const registrations = await github.session(deadline, { sticky });
      const queue = candidateQueue({ client: this.queue.client, queueUrl: 'confirmation', deadline: end, slot: Math.floor(now() / interval), log: SILENT });
      return {
        ports: { registrations, machines: this.lookups, queue, deadline, log: SILENT, sleep, now, random: Math.random },
        policy: {
          scope: scopeDigest(registrations.apiUrl, SCOPE, COMPUTE, 'absent'),
          groupKeys: undefined,
          dryRun: false,
          evidence: 'absent',
          protectedLabels: [],
          acknowledgedForeignRunners: [],
          candidatesPerRun: this.plan.budget,
          interval,
        },
      };
    };
  }

  async stop(): Promise<void> {
    await this.github.stop();
  }

  /** The real one, over a distance. */
  private readonly fetch: typeof globalThis.fetch = async (...request) => {
    await this.time.sleep(LATENCY_MS / 2);
    const response = await globalThis.fetch(...request);
    this.quotaLeft = Math.min(this.quotaLeft, Number(response.headers.get('x-ratelimit-remaining') ?? Infinity));
    await this.time.sleep(LATENCY_MS / 2);
    return response;
  };
}
