import { MatrixFleet } from './matrix-fleet';
import type { Registered } from './matrix-fleet';
import { PassingTime } from './passing-time';
import { DEMO, synthesiseDemo } from '../../../examples/demo/demo-app';
import type { NominationMessage } from '../../../src/contract/candidate-message';
import { MESSAGE_VERSION } from '../../../src/contract/candidate-message';
import { declaredQueues } from '../cloud/declared';
import { editedAssembly } from '../cloud/edited-assembly';
import type { InvocationResult } from '../cloud/function-process';
import { BETWEEN_LOOKS_SECONDS, JanitorStage } from '../cloud/janitor-stage';
import type { LocalFunction } from '../cloud/local-function';

const INTERVAL_SECONDS = 30 * 60;

/** Every cell begins in the same turn of the janitor's rotation over groups and entries, and finds nothing of the last one still in force. */
const CYCLE_SECONDS = 96 * INTERVAL_SECONDS;

/** How far a look begins behind the schedule's minute; long enough for everything to be over that was due by then. */
const START_SECONDS = 60;

/** In the early variant candidates are delivered so much before their time: longer than it takes to postpone all of them, one hanging call after the other. */
const EARLY_SECONDS = 120;

/** An installation token, or a JWT. */
const A_TOKEN = /ghs_\w{8}|eyJ[\w-]{16,}\./;

const assemblies = new Map<boolean, string>();

/** The assembly as synthesised, armed; `early`: somebody has shortened the queue's delay by hand. */
function assembly(early: boolean): string {
  const known = assemblies.get(early);
  if (known) return known;
  const made = !early ? synthesiseDemo({ dryRun: false }) : editedAssembly(assembly(false), ({ Resources }) => {
    const queues = Object.values(Resources).filter(({ Properties }) => Properties.DelaySeconds === BETWEEN_LOOKS_SECONDS);
    for (const { Properties } of queues) Properties.DelaySeconds = BETWEEN_LOOKS_SECONDS - EARLY_SECONDS;
  });
  assemblies.set(early, made);
  return made;
}

/** One local cloud on which one cell after the other is played, with functions that stay warm. */
export class MatrixStage {
  static async start(): Promise<MatrixStage> {
    const stage = await JanitorStage.start({ organization: DEMO.organization, compression: 50 });
    const groups = DEMO.groups.map((name) => stage.github.addGroup(DEMO.organization, { name }));
    return new MatrixStage(stage, groups);
  }

  readonly time: PassingTime;
  private fleet: MatrixFleet | undefined;
  private deployed: boolean | undefined;
  private cells = 0;
  private slowest = { first: 0, second: 0 };

  private constructor(readonly stage: JanitorStage, private readonly groups: readonly number[]) {
    this.time = new PassingTime(stage.clock);
  }

  get discovery(): LocalFunction {
    return this.stage.cloud.function('Discovery');
  }

  get confirmation(): LocalFunction {
    return this.stage.cloud.function('Confirmation');
  }

  get ghosts(): readonly Registered[] {
    return this.fleet!.ghosts;
  }

  get ghostsLeft(): readonly Registered[] {
    return this.fleet!.ghostsLeft;
  }

  /** Log lines with a piece of a key or a token in them. */
  get leaks(): readonly string[] {
    const key = this.stage.privateKey.split('\n').slice(1, -2);
    return this.stage.cloud.logs.filter((line) => A_TOKEN.test(line) || key.some((piece) => line.includes(piece)));
  }

  async begin(early = false): Promise<void> {
    if (this.deployed !== early) await this.stage.deploy(assembly(early));
    this.deployed = early;
    this.fleet?.clear();
    await this.startAt(CYCLE_SECONDS);
    this.fleet = new MatrixFleet(this.stage.github, this.stage.cloud.ec2, this.groups, ++this.cells);
    this.slowest = { first: 0, second: 0 };
  }

  async firstLook(): Promise<InvocationResult> {
    const [result] = await this.timed('first', () => this.stage.cloud.runSchedules());
    return result!;
  }

  /** The fleet changes, and a termination watcher of the runner stack tells of a ghost that no first look has seen. */
  async betweenLooks(): Promise<void> {
    const { name } = this.fleet!.passTime();
    const body = JSON.stringify({ version: MESSAGE_VERSION, kind: 'nomination', runnerName: name } satisfies NominationMessage);
    await this.stage.cloud.sendMessage(this.discovery.declared.name, this.queues.confirmation, body, name);
  }

  async secondLook(): Promise<void> {
    await this.stage.clock.advance(BETWEEN_LOOKS_SECONDS - EARLY_SECONDS);
    await this.timed('second', () => this.stage.cloud.settle());
    await this.stage.clock.advance(EARLY_SECONDS);
    await this.timed('second', () => this.stage.cloud.settle());
  }

  /** The next run of the schedule. What came back to the queue in the meantime is looked at before. */
  async nextRun(): Promise<{ readonly first: InvocationResult; readonly lost: readonly Registered[] }> {
    await this.startAt(INTERVAL_SECONDS);
    const first = await this.firstLook();
    const queued = await this.queued();
    const lost = this.ghostsLeft.filter((ghost) => !queued.includes(ghost));
    await this.secondLook();
    return { first, lost };
  }

  /** Ghosts of which a message is on the confirmation queue. */
  async queued(): Promise<readonly Registered[]> {
    const { bodies } = await this.stage.cloud.sqs.contents(this.queues.confirmation);
    const names = bodies.map((body) => {
      const { runner, runnerName } = JSON.parse(body) as { runner?: { name: string }; runnerName?: string };
      return runner?.name ?? runnerName;
    });
    return this.ghostsLeft.filter(({ name }) => names.includes(name));
  }

  /** What must never be, in words. */
  async wrongs(): Promise<readonly string[]> {
    const { github, cloud } = this.stage;
    const { recorder, failures } = cloud.gateway;
    const ghosts = new Set(this.ghosts.map(({ id }) => id));
    const { deadLetters } = this.queues;
    return [
      ...this.fleet!.living.filter(({ id }) => github.runner(DEMO.organization, id) === undefined).map(({ name }) => `deleted by mistake: ${name}`),
      ...github.deletions.splice(0).filter((id) => !ghosts.has(id)).map((id) => `deleted by mistake: ${id}`),
      ...(['first', 'second'] as const).flatMap((look) => this.slowest[look] > this.limit(look) ? [`the ${look} look took ${this.slowest[look]} s`] : []),
      ...cloud.proxy.refused.splice(0).map((host) => `a function tried to reach ${host}`),
      ...recorder.denied.map(({ principal, action }) => `${principal} was not allowed ${action}`),
      ...failures.splice(0).map((error) => `the local cloud itself failed: ${String(error)}`),
      ...(await cloud.sqs.contents(deadLetters)).bodies.map((body) => `given up: ${body}`),
    ];
  }

  /** Lets messages come back that nobody needs any more. */
  async drain(): Promise<readonly string[]> {
    await this.startAt(INTERVAL_SECONDS);
    return (await this.stage.cloud.sqs.contents(this.queues.confirmation)).bodies;
  }

  async stop(): Promise<void> {
    this.time.stop();
    await this.stage.stop();
  }

  private get queues(): { readonly confirmation: string; readonly deadLetters: string } {
    const [deadLetters, confirmation] = declaredQueues(this.stage.cloud.template);
    return { confirmation: confirmation!.url, deadLetters: deadLetters!.url };
  }

  /** Lets time pass until shortly after the next multiple of so many seconds. */
  private async startAt(multiple: number): Promise<void> {
    const now = this.stage.clock.now() / 1000;
    await this.stage.clock.advance(Math.ceil((now + START_SECONDS) / multiple) * multiple + START_SECONDS - now);
    await this.stage.cloud.settle();
  }

  private limit(look: 'first' | 'second'): number {
    return (look === 'first' ? this.discovery : this.confirmation).declared.timeoutSeconds;
  }

  /** In virtual time, which is the functions' own. */
  private async timed<T>(look: 'first' | 'second', work: () => Promise<T>): Promise<T> {
    const start = this.stage.clock.now();
    const result = await work();
    await this.time.settle();
    this.slowest[look] = Math.max(this.slowest[look], (this.stage.clock.now() - start) / 1000);
    return result;
  }
}
