import { recordedLog } from './recorded-log';
import { machinesOf } from '../../../lambda-src/compute/registry';
import { Deadline } from '../../../lambda-src/shared/deadline';
import { ConfigurationError } from '../../../lambda-src/shared/errors';
import type { ComputeConfig } from '../../../src/contract/janitor-config';

test('the configured provider is found', () => {
  const machinesFor = machinesOf({ kind: 'ec2', runnerNamePrefixes: ['p_'], regions: ['us-east-1'] }, recordedLog());

  expect(machinesFor(Deadline.after(60_000)).resourceIdOf('p_i-0123abcd')).toBe('i-0123abcd');
});

test('a provider of another version of the construct is named', () => {
  const config = { kind: 'mainframe' } as unknown as ComputeConfig;

  expect(() => machinesOf(config, recordedLog())).toThrow(new ConfigurationError('the kind of the compute provider must be ec2, got "mainframe"'));
});
