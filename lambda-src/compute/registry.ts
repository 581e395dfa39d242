import type { ComputeConfig } from '../../src/contract/janitor-config';
import type { Log, Machines } from '../janitor/ports';
import type { Deadline } from '../shared/deadline';
import { ConfigurationError } from '../shared/errors';

/**
 * The machines of the configured provider. Loaded on demand: a provider's SDK client costs more to load than everything
 * else in the bundle, and a function needs only one of them.
 *
 * @throws ConfigurationError when the provider's kind is not known
 */
export async function loadMachines(config: ComputeConfig, log: Log): Promise<(deadline: Deadline) => Machines> {
  switch (config.kind) {
    case 'ec2': {
      const { ec2Machines } = await import('./ec2');
      return ec2Machines({ config, log });
    }
    default:
      throw new ConfigurationError(`the kind of the compute provider must be ec2, got ${JSON.stringify((config as { kind?: unknown }).kind)}`);
  }
}
