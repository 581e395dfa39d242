import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { abortable } from '../shared/abortable';
import { MalformedInputError } from '../shared/errors';

/** The SDK waits between them, but never past the signal of the call. */
const ATTEMPTS = 3;

/**
 * Secrets Manager and Parameter Store. The clients are loaded on demand, because a function needs only one of them, and live
 * as long as the function. Whatever the services refuse is thrown as they say it, which names no content.
 */
export function secretReader() {
  let secretsManager: SecretsManagerClient | undefined;
  let parameterStore: SSMClient | undefined;
  return {
    async readSecret(arn: string, signal: AbortSignal): Promise<string> {
      const { GetSecretValueCommand, SecretsManagerClient: Client } = await import('@aws-sdk/client-secrets-manager');
      const client = secretsManager ??= new Client({ maxAttempts: ATTEMPTS });
      const { SecretString } = await abortable(signal, (abortSignal) => client.send(new GetSecretValueCommand({ SecretId: arn }), { abortSignal }));
      return textOf(SecretString);
    },
    async readParameter(name: string, signal: AbortSignal): Promise<string> {
      const { GetParameterCommand, SSMClient: Client } = await import('@aws-sdk/client-ssm');
      const client = parameterStore ??= new Client({ maxAttempts: ATTEMPTS });
      const command = new GetParameterCommand({ Name: name, WithDecryption: true });
      const { Parameter } = await abortable(signal, (abortSignal) => client.send(command, { abortSignal }));
      return textOf(Parameter?.Value);
    },
  };
}

/** A binary secret, or a body that came with another answer than promised. */
function textOf(value: string | undefined): string {
  if (typeof value !== 'string') throw new MalformedInputError('it holds no text');
  return value;
}
