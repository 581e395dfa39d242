import type { ConfiguredGroups } from './configured-groups';
import type { ReadingPorts } from './group-reading';
import { isGroupGone } from './group-verdict';
import { pagesOf } from './page-order';
import type { Machines, MachineState, Registration, RegistrationPage, RunnerGroup } from './ports';
import type { ProofResult } from './scope-proof';
import { ScopeProof } from './scope-proof';
import type { Policy } from './verdict';
import { isViolationAFault } from './verdict';
import { describeError, NotFoundError, TransientError } from '../shared/errors';
import { retrying } from '../shared/retry';

/** Each may take as long as a request may, and everybody in the batch waits for the slowest group. */
const ATTEMPTS = 2;

type SamplePorts = ReadingPorts & { readonly machines: Machines; readonly configured: ConfiguredGroups };

type SampledGroup = RunnerGroup & { readonly pages: number };

export interface SampleProof {
  /** of the candidates' machines */
  readonly states: ReadonlyMap<string, MachineState>;
  /** by group key */
  readonly proofs: ReadonlyMap<string, ProofResult>;
  /** keys of groups that GitHub no longer has */
  readonly goneGroups: ReadonlySet<string>;
}

/** A group's page is drawn at random, so that a blind spot is not always missed. */
interface Sample {
  readonly group: RunnerGroup;
  readonly online: ReadonlyArray<{ readonly registration: Registration; readonly machine: string }> | undefined;
  readonly answered404: boolean;
}

/**
 * Repeats the scope proof on one page of each group, in the same machine look-up as the candidates: a sample against an
 * inventory that has gone blind since the first look. Reading the page also shows which credential can see the group. The pages are read
 * side by side, so that groups that hang cost the time of one. Never throws.
 */
export async function sampleProof(
  ports: SamplePorts, policy: Policy, groups: readonly SampledGroup[], machines: readonly string[],
): Promise<SampleProof> {
  const sampling = { ...ports, deadline: ports.deadline.share() };
  const samples = await Promise.all(groups.map((group) => readSample(sampling, policy, group)));

  const wanted = new Set([...machines, ...samples.flatMap(({ online }) => online?.map(({ machine }) => machine) ?? [])]);
  const facts = wanted.size > 0 && ports.deadline.isOpen() ? await ports.machines.lookup([...wanted]) : new Map<string, MachineState>();
  const states = new Map(machines.map((machine) => [machine, facts.get(machine) ?? 'unknown']));

  const settling = ports.deadline.share();
  const proofs = new Map<string, ProofResult>();
  for (const { group, online } of samples) {
    const proof = new ScopeProof(group, policy.acknowledgedForeignRunners);
    for (const { registration, machine } of online ?? []) proof.observe(registration, machine, facts.get(machine) ?? 'unknown');
    proofs.set(group.key, online ? await proof.settle(ports, () => settling.isOpen(), states) : 'unproven');
    if (!proof.violation) continue;
    const { name, id } = proof.violation.runner;
    ports.log[isViolationAFault(policy) ? 'error' : 'info']('scope suspect at the second look', { runner: name, id, group: group.name });
  }
  return { states, proofs, goneGroups: await goneAmong(samples, ports.configured) };
}

async function goneAmong(samples: readonly Sample[], configured: ConfiguredGroups): Promise<ReadonlySet<string>> {
  const listed = samples.some(({ answered404 }) => answered404) ? (await configured.list())?.map(({ key }) => key) : undefined;
  return new Set(samples.filter(({ group, answered404 }) => isGroupGone(group.key, answered404, listed)).map(({ group }) => group.key));
}

async function readSample(ports: SamplePorts, policy: Policy, group: SampledGroup): Promise<Sample> {
  try {
    const { registrations } = await readAnyPage(ports, group);
    const online = registrations.flatMap((registration) => {
      const machine = registration.status === 'online' ? ports.machines.resourceIdOf(registration.name) : undefined;
      return machine === undefined || policy.acknowledgedForeignRunners.includes(registration.name) ? [] : [{ registration, machine }];
    });
    return { group, online, answered404: false };
  } catch (error) {
    ports.log.warn('no sample of the group could be read', { group: group.name, error: describeError(error) });
    return { group, online: undefined, answered404: error instanceof NotFoundError };
  }
}

/** One page of those that there are now, whatever number of pages the candidate remembers: behind the last one nobody is ever online. */
async function readAnyPage(ports: SamplePorts, group: SampledGroup): Promise<RegistrationPage> {
  const read = (pages: number) => {
    const page = 1 + Math.floor(ports.random() * pages);
    return retrying(ports, `a sample of group ${group.name}`, async () => ({ ...await ports.registrations.readPage(group, page), page }), ATTEMPTS);
  };
  let sample = await read(group.pages);
  if (sample.page > pagesOf(sample.totalCount)) sample = await read(pagesOf(sample.totalCount));
  if (sample.registrations.length === 0 && sample.totalCount > 0) throw new TransientError(`page ${sample.page} is empty in a group of ${sample.totalCount}`);
  return sample;
}
