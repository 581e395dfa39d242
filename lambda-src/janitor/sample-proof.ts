import type { ReadingPorts } from './group-reading';
import { pagesOf } from './page-order';
import type { Machines, MachineState, Registration, RegistrationPage, RunnerGroup } from './ports';
import type { ProofResult } from './scope-proof';
import { ScopeProof } from './scope-proof';
import type { Policy } from './verdict';
import { describeError, TransientError } from '../shared/errors';
import { retrying } from '../shared/retry';

type SamplePorts = ReadingPorts & { readonly machines: Machines };

export interface SampleProof {
  /** of the candidates' machines */
  readonly states: ReadonlyMap<string, MachineState>;
  /** by group key */
  readonly proofs: ReadonlyMap<string, ProofResult>;
}

/** A group's page is drawn at random, so that a blind spot is not always missed. */
interface Sample {
  readonly group: RunnerGroup;
  readonly online: ReadonlyArray<{ readonly registration: Registration; readonly machine: string }> | undefined;
}

/**
 * Repeats the scope proof on one page of each group, in the same machine look-up as the candidates: a sample against an
 * inventory that has gone blind since the first look. Reading the page also shows which credential can see the group. Never throws.
 */
export async function sampleProof(
  ports: SamplePorts, policy: Policy, groups: ReadonlyArray<RunnerGroup & { readonly pages: number }>, machines: readonly string[],
): Promise<SampleProof> {
  const samples: Sample[] = [];
  for (const group of groups) samples.push({ group, online: await readSample(ports, policy, group) });

  const wanted = new Set([...machines, ...samples.flatMap(({ online }) => online?.map(({ machine }) => machine) ?? [])]);
  const mayGoOn = () => ports.deadline.isOpen();
  const facts = wanted.size > 0 && mayGoOn() ? await ports.machines.lookup([...wanted]) : new Map<string, MachineState>();
  const states = new Map(machines.map((machine) => [machine, facts.get(machine) ?? 'unknown']));

  const proofs = new Map<string, ProofResult>();
  for (const { group, online } of samples) {
    const proof = new ScopeProof(group, policy.acknowledgedForeignRunners);
    for (const { registration, machine } of online ?? []) proof.observe(registration, machine, facts.get(machine) ?? 'unknown');
    proofs.set(group.key, online ? await proof.settle(ports, mayGoOn, states) : 'unproven');
    if (proof.violation) ports.log.error('scope suspect at the second look', { runner: proof.violation.runner.name, id: proof.violation.runner.id, group: group.name });
  }
  return { states, proofs };
}

async function readSample(ports: SamplePorts, policy: Policy, group: RunnerGroup & { readonly pages: number }): Promise<Sample['online']> {
  try {
    const { registrations } = await readAnyPage(ports, group);
    return registrations.flatMap((registration) => {
      const machine = registration.status === 'online' ? ports.machines.resourceIdOf(registration.name) : undefined;
      return machine === undefined || policy.acknowledgedForeignRunners.includes(registration.name) ? [] : [{ registration, machine }];
    });
  } catch (error) {
    ports.log.warn('no sample of the group could be read', { group: group.name, error: describeError(error) });
    return undefined;
  }
}

/** One page of those that there are now, whatever number of pages the candidate remembers: behind the last one nobody is ever online. */
async function readAnyPage(ports: SamplePorts, group: RunnerGroup & { readonly pages: number }): Promise<RegistrationPage> {
  const read = (pages: number) => {
    const page = 1 + Math.floor(ports.random() * pages);
    return retrying(ports, `a sample of group ${group.name}`, async () => ({ ...await ports.registrations.readPage(group, page), page }));
  };
  let sample = await read(group.pages);
  if (sample.page > pagesOf(sample.totalCount)) sample = await read(pagesOf(sample.totalCount));
  if (sample.registrations.length === 0 && sample.totalCount > 0) throw new TransientError(`page ${sample.page} is empty in a group of ${sample.totalCount}`);
  return sample;
}
