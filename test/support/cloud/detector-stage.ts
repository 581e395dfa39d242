import { createHmac } from 'node:crypto';
import { LocalCloud } from './local-cloud';
import type { FakeExecution } from './step-functions-server';
import { VirtualClock } from './virtual-clock';
import { FakeGitHub } from '../fake-github/fake-github';
import type { Job } from '../fake-github/job';

const APP_ID = 4711;

/** A report that has not been judged after so long will never be. */
const RETENTION_SECONDS = 60 * 60;

/** So much time passes at once; every wait of the detector is a multiple of it. */
const STEP_SECONDS = 30;

export interface DetectorStageOptions {
  readonly organization: string;
  /** repositories of the organization */
  readonly repositories: readonly string[];
  /** factor by which the functions' short waits are shortened */
  readonly compression?: number;
}

/**
 * GitHub and AWS with one App, ready for a runner stack with a detector in it: the state machine is the only one, the runners' log group
 * is called RunnerLogs, and the secrets GitHubApp and WebhookSecret.
 */
export class DetectorStage {
  static async start({ organization, repositories, compression = 20 }: DetectorStageOptions): Promise<DetectorStage> {
    const clock = new VirtualClock();
    const github = await FakeGitHub.start({ now: clock.now });
    const { privateKey } = github.addApp({ appId: APP_ID });
    github.addOrganization(organization);
    repositories.forEach((repository) => github.addRepository(repository));
    github.install(APP_ID, { owner: organization });
    const cloud = await LocalCloud.start({ clock, github: github.handler, compression });
    return new DetectorStage(clock, github, cloud, privateKey);
  }

  readonly webhookSecret = 'what only GitHub and the webhook function know';

  private constructor(readonly clock: VirtualClock, readonly github: FakeGitHub, readonly cloud: LocalCloud, readonly privateKey: string) {}

  async deploy(assembly: string): Promise<void> {
    await this.cloud.deploy(assembly);
    const { secrets, template } = this.cloud;
    const put = (part: string, value: string) => secrets.put(template.ref(template.only('AWS::SecretsManager::Secret', part).logicalId), value);
    put('GitHubApp', JSON.stringify({ appId: APP_ID, privateKey: this.privateKey }));
    put('WebhookSecret', this.webhookSecret);
  }

  /** Starts a runner, as the runner stack does: its name is that of an execution. */
  async startRunner(name: string, input: string): Promise<FakeExecution> {
    const { template, stepFunctions } = this.cloud;
    const execution = stepFunctions.start(template.ref(template.only('AWS::StepFunctions::StateMachine', '').logicalId), name, input);
    await this.cloud.settle();
    return execution;
  }

  /** The execution ends, and with it the machine. */
  async endRunner(name: string, status: 'SUCCEEDED' | 'FAILED'): Promise<void> {
    this.cloud.stepFunctions.end(name, status);
    await this.cloud.settle();
  }

  /** The runner takes a job at GitHub. */
  pickUp(runner: string, repository: string, jobId: number): Job {
    return this.github.updateJob(repository, jobId, { status: 'in_progress', runner_name: runner, started_at: new Date(this.clock.now()).toISOString() });
  }

  /** Lines in the runners' log group, in one delivery. */
  async log(...lines: string[]): Promise<void> {
    await this.cloud.putLogLines('RunnerLogs', lines);
  }

  /** GitHub's webhook about a job. @returns the status of the answer */
  async webhook(action: string, repository: string, job: Job, secret = this.webhookSecret): Promise<number> {
    const body = JSON.stringify({ action, workflow_job: job, repository: { full_name: repository } });
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-github-event': 'workflow_job', 'x-hub-signature-256': signature };
    const { status } = await fetch(this.cloud.functionUrl('Webhook'), { method: 'POST', headers, body });
    return status;
  }

  /** Lets time pass until every report has been judged. @returns the seconds that it took */
  async judgeAll(): Promise<number> {
    for (let seconds = 0; seconds <= RETENTION_SECONDS; seconds += STEP_SECONDS) {
      await this.cloud.settle();
      if ((await this.reports()).length === 0) return seconds;
      await this.clock.advance(STEP_SECONDS);
    }
    throw new Error(`reports that nobody can judge: ${(await this.reports()).join(' ')}`);
  }

  /** Bodies of the reports on the queue. */
  async reports(): Promise<readonly string[]> {
    const { template, sqs } = this.cloud;
    return (await sqs.contents(template.ref(template.only('AWS::SQS::Queue', 'ReportQueue').logicalId))).bodies;
  }

  async stop(): Promise<void> {
    await this.cloud.stop();
    await this.github.stop();
  }
}

/** What a runner writes when it picks a job up. */
export function markerLine(runner: string, repository: string, runId: number): string {
  return `CDKGHR JOB RUNNER=${runner} REPO=${repository} WORKFLOW_ID=${runId}`;
}
