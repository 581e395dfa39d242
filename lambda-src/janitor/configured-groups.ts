import type { ReadingPorts } from './group-reading';
import type { RunnerGroup } from './ports';
import { describeError } from '../shared/errors';

/** The configured groups that GitHub has, asked for once in a batch and only if somebody wants to know. */
export class ConfiguredGroups {
  private listed: Promise<readonly RunnerGroup[] | undefined> | undefined;

  constructor(private readonly ports: ReadingPorts) {}

  /** Undefined: they could not be listed. Never throws. */
  list(): Promise<readonly RunnerGroup[] | undefined> {
    return this.listed ??= this.ask();
  }

  private async ask(): Promise<readonly RunnerGroup[] | undefined> {
    try {
      this.ports.deadline.check('listing the groups');
      return await this.ports.registrations.listGroups();
    } catch (error) {
      this.ports.log.warn('the groups could not be listed', { error: describeError(error) });
      return undefined;
    }
  }
}
