import { ec2Machines } from './ec2';
import type { ComputeConfig } from '../../src/contract/janitor-config';
import type { Log, Machines } from '../janitor/ports';
import type { Deadline } from '../shared/deadline';
import { ConfigurationError } from '../shared/errors';

/**
 * The machines of the configured provider; the clients in it live as long as the function. Imported statically: esbuild wraps
 * what is imported on demand and keeps all of its exports, which made client-ec2 load in twice the time (`npx projen bench`).
 *
 * @throws ConfigurationError when the provider's kind is not known
 */
export function machinesOf(config: ComputeConfig, log: Log): (deadline: Deadline) => Machines {
  switch (config.kind) {
    case 'ec2':
      return ec2Machines({ config, log });
    default:
      throw new ConfigurationError(`the kind of the compute provider must be ec2, got ${JSON.stringify((config as { kind?: unknown }).kind)}`);
  }
}
