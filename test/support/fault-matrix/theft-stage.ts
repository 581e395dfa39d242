import { PassingTime } from './passing-time';
import type { Story } from './theft-call';
import { SHOP, synthesiseRunnerStack } from '../../../examples/demo/runner-app';
import { DetectorStage, markerLine } from '../cloud/detector-stage';
import type { LocalFunction } from '../cloud/local-function';

const ELSEWHERE = 'somebody/elsewhere';

/** An installation token, or a JWT. */
const A_TOKEN = /ghs_\w{8}|eyJ[\w-]{16,}\./;

/** One local cloud on which one story after the other is told, each of a runner of its own, to functions that stay warm. */
export class TheftStage {
  static async start(): Promise<TheftStage> {
    const stage = await DetectorStage.start({ organization: SHOP.organization, repositories: [SHOP.repository, SHOP.outsider], compression: 50 });
    await stage.deploy(synthesiseRunnerStack());
    return new TheftStage(stage);
  }

  readonly time: PassingTime;
  private serial = 0;

  private constructor(readonly stage: DetectorStage) {
    this.time = new PassingTime(stage.clock);
  }

  get judge(): LocalFunction {
    return this.stage.cloud.function('Judge');
  }

  /** The runner of a new story, whose execution runs and is recorded. */
  async begin(): Promise<string> {
    const job = (this.serial += 1) * 10;
    await this.startRunner(job);
    // no two stories may fill one hour's share of replacements, and limits of the last one must be over
    await this.stage.clock.advance(3600);
    return runnerOf(job);
  }

  /** What happens to the runner, and what its log says of it. */
  async tell(story: Story): Promise<void> {
    const { github } = this.stage;
    const job = this.serial * 10;
    const runner = runnerOf(job);
    if (story === 'stolen') github.addJob(SHOP.outsider, { id: job + 1, run_id: job + 1 });
    if (story === 'swapped') await this.startRunner(job + 1);
    if (story === 'slandered') github.addRunner(SHOP.organization, 1, { name: runner, status: 'online', busy: false });
    const repository = story === 'stolen' ? SHOP.outsider : story === 'swapped' ? SHOP.repository : ELSEWHERE;
    if (repository !== ELSEWHERE) this.stage.pickUp(runner, repository, job + 1);
    await this.stage.log(markerLine(runner, repository, job + 1));
  }

  /** Names of the executions that replaced a runner, or that were started for nobody. */
  startedAfter(runner: string): readonly string[] {
    const names = this.stage.cloud.stepFunctions.all().map(({ name }) => name);
    return names.filter((name) => name.includes('-r') && Number.parseInt(name.slice(1), 10) >= Number(runner.slice(1)));
  }

  /** Log lines with a piece of a key or a token in them. */
  get leaks(): readonly string[] {
    const key = this.stage.privateKey.split('\n').slice(1, -2);
    return this.stage.cloud.logs.filter((line) => A_TOKEN.test(line) || key.some((piece) => line.includes(piece)));
  }

  async stop(): Promise<void> {
    this.time.stop();
    await this.stage.stop();
  }

  private async startRunner(job: number): Promise<void> {
    this.stage.github.addJob(SHOP.repository, { id: job, run_id: job });
    await this.stage.startRunner(runnerOf(job), JSON.stringify({ owner: 'acme', repo: 'shop', jobId: job }));
  }
}

function runnerOf(job: number): string {
  return `R${job}`;
}
