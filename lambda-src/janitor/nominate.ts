import type { CandidateQueue, Log, Machines } from './ports';
import { TransientError } from '../shared/errors';

export interface NominationPorts {
  readonly machines: Machines;
  readonly queue: CandidateQueue;
  readonly log: Log;
}

/** A final or nearly final state; a machine that only stops comes back. */
const ENDING = ['shutting-down', 'terminated'];

/**
 * The machine that an EC2 state-change event says is ending; undefined for every other event.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-instance-state-changes.html
 */
export function endingMachine(event: unknown): string | undefined {
  const { source, detail } = (event ?? {}) as { source?: unknown; detail?: { 'instance-id'?: unknown; 'state'?: unknown } };
  if (source !== 'aws.ec2' || !ENDING.includes(String(detail?.state))) return undefined;
  const id = detail?.['instance-id'];
  return typeof id === 'string' ? id : undefined;
}

/**
 * Puts the runner of an ending machine on the queue, by name. That is no evidence: the second look has to see the machine
 * terminated itself. A machine without the tags, or one that cannot be asked for them, is left to the schedule.
 *
 * @throws TransientError when the queue takes no name: unseen, a missing permission would stay so for ever
 */
export async function nominate({ machines, queue, log }: NominationPorts, machine: string, tags: Readonly<Record<string, string>>): Promise<void> {
  const names = machines.namesOf(machine);
  const isTold = Object.keys(tags).length > 0;
  if (names.length === 0 || !isTold || !await machines.carries(machine, tags)) {
    log.info('a machine is ending that is not ours', { machine });
    return;
  }
  const unsent = await queue.nominate(names);
  if (unsent.length === names.length) throw new TransientError(`the runner of ${machine} could not be nominated: the queue takes nothing`);
  log.info('nominated because its machine is ending', { machine, runners: names.filter((name) => !unsent.includes(name)) });
}
