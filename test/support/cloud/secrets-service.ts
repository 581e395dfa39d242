import { jsonAnswer, jsonError, jsonTarget, type AwsAction, type AwsAnswer, type AwsRequest, type AwsService } from './aws-service';
import type { Encryptable } from './declared';
import type { UseKey } from './key-use';

/** `GetSecretValue` of Secrets Manager: a secret is found by its ARN, by the ARN without the six random characters, or by its name. */
export class SecretsService implements AwsService {
  readonly name = 'secretsmanager';
  private readonly values = new Map<string, string>();
  private readonly keys = new Map<string, string | undefined>();

  /** Takes note of what a secret of the template is encrypted with. */
  declare({ arn, keyArn }: Encryptable): void {
    this.keys.set(arn, keyArn);
  }

  put(arn: string, value: string): void {
    this.values.set(arn, value);
  }

  action(request: AwsRequest): AwsAction {
    const { SecretId } = JSON.parse(request.body) as { SecretId: string };
    return { name: jsonTarget(request), resources: [this.find(SecretId) ?? SecretId] };
  }

  error(code: string, message: string, status: number): AwsAnswer {
    return jsonError(code === 'AccessDenied' ? 'AccessDeniedException' : code, message, code === 'AccessDenied' ? 400 : status);
  }

  answer(_request: AwsRequest, { name, resources }: AwsAction, useKey: UseKey): AwsAnswer {
    if (name !== 'GetSecretValue') return this.error('UnknownOperationException', name, 400);
    const arn = resources[0]!;
    const value = this.values.get(arn);
    if (value === undefined) return this.error('ResourceNotFoundException', "Secrets Manager can't find the specified secret.", 400);
    // https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html
    useKey(['Decrypt'], this.keys.get(arn), { SecretARN: arn, SecretVersionId: '1' });
    return jsonAnswer({ ARN: arn, Name: secretName(arn), SecretString: value, VersionId: '1', VersionStages: ['AWSCURRENT'] });
  }

  private find(id: string): string | undefined {
    return [...this.values.keys()].find((arn) => arn === id || arn.replace(/-\w{6}$/, '') === id || secretName(arn) === id);
  }
}

function secretName(arn: string): string {
  return (arn.split(':secret:')[1] ?? arn).replace(/-\w{6}$/, '');
}
