import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { abortable } from '../shared/abortable';
import { MalformedInputError } from '../shared/errors';

/** The SDK waits between them, but never past the signal of the call. */
const ATTEMPTS = 3;

/**
 * Secrets Manager and Parameter Store, with clients that live as long as the function. Both are imported at the top: imported
 * on demand they cannot be tree-shaken, and one alone then takes longer to load than both do now. What the services refuse is
 * thrown as they say it, which names no content.
 */
export function secretReader() {
  let secretsManager: SecretsManagerClient | undefined;
  let parameterStore: SSMClient | undefined;
  return {
    async readSecret(arn: string, signal: AbortSignal): Promise<string> {
      const client = secretsManager ??= new SecretsManagerClient({ maxAttempts: ATTEMPTS });
      const command = new GetSecretValueCommand({ SecretId: arn });
      const { SecretString } = await abortable(signal, (abortSignal) => client.send(command, { abortSignal }));
      return textOf(SecretString);
    },
    async readParameter(name: string, signal: AbortSignal): Promise<string> {
      const client = parameterStore ??= new SSMClient({ maxAttempts: ATTEMPTS });
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
