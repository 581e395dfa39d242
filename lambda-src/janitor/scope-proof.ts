import type { Log, Machines, MachineState, Registration, Registrations, RunnerGroup } from './ports';
import { describeError } from '../shared/errors';

/**
 * What the online runners of one group say about the configuration.
 * `holds`: every one of them has its machine where we look. `violated`: one has not, so "absent" means nothing here.
 * `unproven`: it could not be found out.
 */
export type ProofResult = 'holds' | 'violated' | 'unproven';

export interface Violation {
  readonly group: RunnerGroup;
  readonly runner: { readonly id: number; readonly name: string };
  readonly machine: string;
}

export interface SettlePorts {
  readonly registrations: Registrations;
  readonly machines: Machines;
  readonly log: Log;
}

/**
 * Collects witnesses and suspects while a group is read. An online runner must have a machine somewhere; where we find
 * none, a region or an account is missing, or the prefix is shared. One that somebody acknowledged as foreign says nothing.
 */
export class ScopeProof {
  witnesses = 0;
  violation: Violation | undefined;
  /** online runners whose machine could not be looked up: any of them may be a violation */
  private unseen = 0;
  private readonly suspects = new Map<number, { name: string; machine: string }>();

  constructor(readonly group: RunnerGroup, private readonly acknowledged: readonly string[]) {}

  /** `machine`: the resource id that the name stands for. */
  observe(registration: Registration, machine: string, state: MachineState): void {
    if (registration.status !== 'online' || this.acknowledged.includes(registration.name)) return;
    if (state === 'present' || state === 'terminated') this.witnesses += 1;
    if (state === 'unknown') this.unseen += 1;
    if (state === 'absent') this.suspects.set(registration.id, { name: registration.name, machine });
  }

  /**
   * Looks at every suspect once more, afresh, until one stays. A machine that has just been started or has just ended is
   * cleared by this; a suspect that cannot be looked at leaves the proof open. Never throws.
   *
   * @param states of the machines that rest on this proof. They are asked again together with the suspects, and put right: an
   * inventory that was blind for a moment clears the suspects when it sees again, but not what it has said in that moment.
   */
  async settle(ports: SettlePorts, mayGoOn: () => boolean, states: Map<string, MachineState>): Promise<ProofResult> {
    if (this.violation) return 'violated';
    if (this.suspects.size === 0) return this.unlessBlind();
    if (!mayGoOn()) return 'unproven';
    const again = await ports.machines.lookup([...new Set([...states.keys(), ...[...this.suspects.values()].map(({ machine }) => machine)])]);
    for (const [machine, state] of states) states.set(machine, livelier(state, again.get(machine) ?? 'unknown'));
    let open = false;
    for (const [id, suspect] of this.suspects) {
      if (!mayGoOn()) return 'unproven';
      const judgement = suspectAgain(suspect.name, await this.readAgain(ports, id), again.get(suspect.machine) ?? 'unknown');
      if (judgement === 'violation') {
        this.violation = { group: this.group, runner: { id, name: suspect.name }, machine: suspect.machine };
        return 'violated';
      }
      if (judgement === 'witness') this.witnesses += 1;
      if (judgement === 'open') open = true;
      else this.suspects.delete(id);
    }
    return open ? 'unproven' : this.unlessBlind();
  }

  /** A trouble with some look-ups is outweighed by a witness, as pages that failed are. */
  private unlessBlind(): ProofResult {
    return this.unseen > 0 && this.witnesses === 0 ? 'unproven' : 'holds';
  }

  private async readAgain({ registrations, log }: SettlePorts, id: number): Promise<Registration | 'gone' | 'unproven'> {
    try {
      return await registrations.find(this.group, id);
    } catch (error) {
      log.warn('a suspect of the scope proof could not be read again', { id, group: this.group.name, error: describeError(error) });
      return 'unproven';
    }
  }
}

/** What two look-ups say about one machine: the one that stands further right wins. */
const LIVELINESS: readonly MachineState[] = ['absent', 'terminated', 'unknown', 'present'];

export function livelier(one: MachineState, other: MachineState): MachineState {
  return LIVELINESS.indexOf(one) > LIVELINESS.indexOf(other) ? one : other;
}

/** Whether a suspect that was looked at afresh still is one. */
export function suspectAgain(name: string, registration: Registration | 'gone' | 'unproven', machine: MachineState): 'violation' | 'witness' | 'cleared' | 'open' {
  if (machine === 'present' || machine === 'terminated') return 'witness';
  if (registration === 'gone') return 'cleared';
  if (registration === 'unproven' || machine === 'unknown') return 'open';
  // offline by now: its machine ended between the two questions, as machines of ephemeral runners do
  if (registration.status !== 'online' || registration.name !== name) return 'cleared';
  return 'violation';
}

/** Whether candidates that only rest on absence may go on. A reading that ended early needs a witness that we look in the right places. */
export function absenceMayBeTrusted(proof: ProofResult, readToTheEnd: boolean, witnesses: number): boolean {
  return proof === 'holds' && (readToTheEnd || witnesses > 0);
}
