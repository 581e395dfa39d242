import { SHOP } from './runner-app';
import type { Fate } from './theft-story';
import { EXPECTED, runnerOf, runOf, STORY } from './theft-story';
import { markerLine, type DetectorStage } from '../../test/support/cloud/detector-stage';
import type { Job } from '../../test/support/fake-github/job';

interface PickUp {
  readonly runner: string;
  readonly repository: string;
  readonly job: number;
}

/** GitHub as the story wants it: it hands jobs to runners, and tells the world of it late, twice and in the wrong order. */
export class Shop {
  /** which runner ran what, in order */
  readonly pickUps: PickUp[] = [];

  constructor(private readonly stage: DetectorStage) {
    for (const { job } of STORY) stage.github.addJob(SHOP.repository, { id: job, run_id: runOf(job), labels: ['self-hosted', 'linux'] });
    for (const { did } of STORY) {
      if (did.kind === 'ran' && did.repository === SHOP.outsider) stage.github.addJob(SHOP.outsider, { id: did.job, run_id: runOf(did.job) });
    }
  }

  /** Jobs that no runner has picked up. */
  get waiting(): readonly number[] {
    return STORY.map(({ job }) => job).filter((job) => !this.pickUps.some((pickUp) => pickUp.repository === SHOP.repository && pickUp.job === job));
  }

  /** Runners that live and have picked up nothing. */
  get idle(): readonly string[] {
    return this.stage.cloud.stepFunctions.all()
      .filter(({ name, status }) => status === 'RUNNING' && !this.pickUps.some(({ runner }) => runner === name))
      .map(({ name }) => name);
  }

  /** What the runner stack does when jobs are queued. */
  async startRunners(): Promise<void> {
    for (const fate of STORY) await this.stage.startRunner(runnerOf(fate), JSON.stringify({ owner: 'acme', repo: 'shop', jobId: fate.job, labels: 'linux,shop' }));
  }

  async tellStory(): Promise<void> {
    for (const fate of STORY) if (fate.did.kind === 'died') await this.stage.endRunner(runnerOf(fate), 'FAILED');
    await this.stage.clock.advance(20);
    for (const fate of STORY) await this.play(fate);
  }

  /** GitHub hands whatever waits to whoever idles. */
  async handOut(): Promise<void> {
    const { idle, waiting } = this;
    for (const [index, runner] of idle.slice(0, waiting.length).entries()) await this.pickUp({ runner, repository: SHOP.repository, job: waiting[index]! }, ['log', 'webhook']);
  }

  /** Every job is over, and with it every runner that has run one. */
  async finish(): Promise<void> {
    for (const { runner, repository, job } of this.pickUps) {
      this.stage.github.updateJob(repository, job, { status: 'completed', conclusion: 'success' });
      await this.stage.endRunner(runner, 'SUCCEEDED');
    }
  }

  private async play(fate: Fate): Promise<void> {
    if (fate.did.kind === 'died') return;
    const { repository, job } = fate.did;
    const forged = fate.forges ? [markerLine(runnerOf(fate.forges), fate.forges.repository, 1)] : [];
    await this.pickUp({ runner: runnerOf(fate), repository, job }, fate.reports, forged);
  }

  private async pickUp(pickUp: PickUp, reports: Fate['reports'], printed: readonly string[] = []): Promise<void> {
    const { runner, repository, job } = pickUp;
    this.pickUps.push(pickUp);
    const picked = this.stage.pickUp(runner, repository, job);
    if (reports.includes('webhook')) await this.webhooks(repository, picked);
    if (reports.includes('log')) await this.stage.log(markerLine(runner, repository, runOf(job)), ...printed);
  }

  /** The last one first, and the one that counts twice. */
  private async webhooks(repository: string, job: Job): Promise<void> {
    for (const action of ['completed', 'in_progress', 'queued', 'in_progress']) {
      const status = await this.stage.webhook(action, repository, job);
      if (status >= 300) throw new Error(`the webhook '${action}' of job ${job.id} was answered with ${status}`);
    }
  }
}

/** How many runners there are when nothing is missing and nobody is too many. */
export const RUNNERS_IN_THE_END = STORY.length + EXPECTED.thefts.length + EXPECTED.debts.length;
