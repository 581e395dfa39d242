import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import type { Filter, Instance } from '@aws-sdk/client-ec2';
import type { Ec2Config } from '../../src/contract/janitor-config';
import type { Log, Machines, MachineState } from '../janitor/ports';
import { abortable } from '../shared/abortable';
import type { Deadline } from '../shared/deadline';
import { ConfigurationError, describeError, TransientError } from '../shared/errors';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html: more values of one filter are refused */
const IDS_PER_CALL = 200;

/** The SDK waits between them, but never past the signal of the call. */
const ATTEMPTS = 3;

const INSTANCE_ID = /^i-(?:[0-9a-f]{8}|[0-9a-f]{17})$/;

/** Stopped and standby machines come back; a machine that is shutting down may still be running its last job. */
const PRESENT: ReadonlySet<string> = new Set(['pending', 'running', 'shutting-down', 'stopping', 'stopped']);

/** What several answers say about one machine: the one that stands furthest right wins. */
const STRENGTH: readonly MachineState[] = ['absent', 'terminated', 'unknown', 'present'];

type Facts = ReadonlyMap<string, MachineState>;

export interface Ec2Options {
  readonly config: Ec2Config;
  readonly log: Log;
}

/**
 * EC2 instances in every configured region. The clients live as long as the function, the machines as long as one invocation.
 *
 * @throws ConfigurationError when a prefix is blank, as a parameter of the stack may be: everybody's instance ids would be ours
 */
export function ec2Machines({ config, log }: Ec2Options): (deadline: Deadline) => Machines {
  if (!Array.isArray(config.regions) || !Array.isArray(config.runnerNamePrefixes) || config.runnerNamePrefixes.some((prefix) => prefix.trim() === '')) {
    throw new ConfigurationError(`the compute provider ec2 must have 'regions' and 'runnerNamePrefixes' that are not blank, got ${JSON.stringify(config)}`);
  }
  const regions = config.regions.map((name) => ({ name, client: new EC2Client({ region: name, maxAttempts: ATTEMPTS }) }));
  return (deadline) => ({
    resourceIdOf: (runnerName) => instanceIdOf(runnerName, config.runnerNamePrefixes),
    lookup: async (ids) => {
      const asked = [...new Set(ids)];
      const facts = await Promise.all(regions.map((region) => lookupInRegion(region, asked, deadline, log)));
      return new Map(asked.map((id) => [id, strongest(facts.map((region) => region.get(id) ?? 'unknown'))]));
    },
    namesOf: (id) => (INSTANCE_ID.test(id) ? config.runnerNamePrefixes.map((prefix) => `${prefix}${id}`) : []),
    carries: async (id, tags) => {
      const filters = Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
      return (await Promise.all(regions.map((region) => isInRegion(region, id, filters, deadline, log)))).includes(true);
    },
  });
}

/** Anchored at both ends: `<prefix>i-` and 8 or 17 hexadecimal digits, nothing before or behind. */
export function instanceIdOf(runnerName: string, prefixes: readonly string[]): string | undefined {
  return prefixes
    .filter((prefix) => runnerName.startsWith(prefix))
    .map((prefix) => runnerName.slice(prefix.length))
    .find((rest) => INSTANCE_ID.test(rest));
}

interface Region {
  readonly name: string;
  readonly client: EC2Client;
}

/** Never throws: a failing batch is unknown, the other batches are looked up all the same. */
async function lookupInRegion(region: Region, ids: readonly string[], deadline: Deadline, log: Log): Promise<Facts> {
  const facts = new Map<string, MachineState>();
  for (let start = 0; start < ids.length; start += IDS_PER_CALL) {
    const batch = ids.slice(start, start + IDS_PER_CALL);
    const seen = new Map<string, MachineState>();
    try {
      deadline.check(`looking up machines in ${region.name}`);
      await describe(region.client, batch, seen, deadline.signal());
      for (const id of batch) facts.set(id, seen.get(id) ?? 'absent');
    } catch (error) {
      log.warn('machines could not be looked up', { region: region.name, machines: batch.length, error: describeError(error) });
      // a machine that was seen alive before the trouble is alive; nothing else of this batch counts
      for (const id of batch) facts.set(id, seen.get(id) === 'present' ? 'present' : 'unknown');
    }
  }
  return facts;
}

async function isInRegion(region: Region, id: string, filters: readonly Filter[], deadline: Deadline, log: Log): Promise<boolean> {
  const seen = new Map<string, MachineState>();
  try {
    deadline.check(`looking at the tags of ${id} in ${region.name}`);
    await describe(region.client, [id], seen, deadline.signal(), filters);
    return seen.has(id);
  } catch (error) {
    log.warn('the tags of a machine could not be looked at', { region: region.name, machine: id, error: describeError(error) });
    return false;
  }
}

/** Reads all pages into `seen`. Retries and pages share the signal, so that no batch takes longer than one request may. */
async function describe(
  client: EC2Client, ids: readonly string[], seen: Map<string, MachineState>, signal: AbortSignal, filters: readonly Filter[] = [],
): Promise<void> {
  let NextToken: string | undefined;
  do {
    const command = new DescribeInstancesCommand({
      // one unknown id in `InstanceIds` would fail the whole call; a filter just does not match
      Filters: [{ Name: 'instance-id', Values: [...ids] }, ...filters],
      MaxResults: 1000,
      ...(NextToken && { NextToken }),
    });
    const answer = await abortable(signal, (abortSignal) => client.send(command, { abortSignal }));
    // an empty or foreign 200 arrives as success without reservations; a real empty answer has an empty list
    if (!Array.isArray(answer.Reservations)) throw new TransientError('the answer of DescribeInstances has no reservations');
    for (const { Instances } of answer.Reservations) {
      // a reservation has matched because of an instance: one without any is half an answer
      if (!Instances?.length) throw new TransientError('the answer of DescribeInstances has a reservation without instances');
      for (const instance of Instances) note(instance, seen);
    }
    NextToken = answer.NextToken;
  } while (NextToken);
}

function note(instance: Instance, seen: Map<string, MachineState>): void {
  if (!instance.InstanceId) throw new TransientError('the answer of DescribeInstances has an instance without an id');
  seen.set(instance.InstanceId, strongest([seen.get(instance.InstanceId) ?? 'absent', stateOf(instance)]));
}

function stateOf(instance: Instance): MachineState {
  const name = instance.State?.Name;
  if (name === 'terminated') return 'terminated';
  return name !== undefined && PRESENT.has(name) ? 'present' : 'unknown';
}

function strongest(states: readonly MachineState[]): MachineState {
  return STRENGTH[Math.max(...states.map((state) => STRENGTH.indexOf(state)))] ?? 'unknown';
}
