import { LocalCloud } from './local-cloud';
import { VirtualClock } from './virtual-clock';
import { FakeGitHub } from '../fake-github/fake-github';

const APP_ID = 4711;

/** How long a candidate waits on the queue. */
export const BETWEEN_LOOKS_SECONDS = 15 * 60;

/** GitHub and AWS with one App, ready for a stack with a janitor whose only secret is that App's. */
export class JanitorStage {
  /** @param options.compression factor by which the functions' short waits are shortened */
  static async start(options: { readonly organization: string; readonly compression: number }): Promise<JanitorStage> {
    const clock = new VirtualClock();
    const github = await FakeGitHub.start({ now: clock.now });
    const { privateKey } = github.addApp({ appId: APP_ID });
    github.addOrganization(options.organization);
    github.install(APP_ID, { owner: options.organization });
    const cloud = await LocalCloud.start({ clock, github: github.handler, compression: options.compression });
    return new JanitorStage(clock, github, cloud, privateKey);
  }

  private constructor(readonly clock: VirtualClock, readonly github: FakeGitHub, readonly cloud: LocalCloud, readonly privateKey: string) {}

  async deploy(assembly: string): Promise<void> {
    await this.cloud.deploy(assembly);
    for (const { logicalId } of this.cloud.template.ofType('AWS::SecretsManager::Secret')) {
      this.cloud.secrets.put(this.cloud.template.ref(logicalId), JSON.stringify({ appId: APP_ID, privateKey: this.privateKey }));
    }
  }

  /** Fires the schedule. @throws with the end of the log when the function fails */
  async firstLook(): Promise<void> {
    for (const result of await this.cloud.runSchedules()) {
      if (result.kind !== 'returned') throw new Error(`the first look failed: ${JSON.stringify(result)}\n${this.cloud.logs.slice(-10).join('\n')}`);
    }
  }

  /** Lets the candidates' delay pass and waits until all of them have been looked at. */
  async secondLook(): Promise<void> {
    await this.clock.advance(BETWEEN_LOOKS_SECONDS);
    await this.cloud.settle();
  }

  async stop(): Promise<void> {
    await this.cloud.stop();
    await this.github.stop();
  }
}
