import { jsonAnswer, jsonError, jsonTarget, type AwsAction, type AwsAnswer, type AwsRequest, type AwsService } from './aws-service';
import type { UseKey } from './key-use';

/** `GetParameter` and `GetParameters` of the Systems Manager's parameter store. */
export class SsmService implements AwsService {
  readonly name = 'ssm';
  private readonly parameters = new Map<string, { readonly value: string; readonly keyArn: string | undefined }>();

  /** @param keyArn the customer managed key that it is encrypted with; the AWS managed one needs no permission */
  put(name: string, value: string, keyArn?: string): void {
    this.parameters.set(name, { value, keyArn });
  }

  action(request: AwsRequest): AwsAction {
    return { name: jsonTarget(request), resources: names(request).map((name) => arnOf(name, request)) };
  }

  error(code: string, message: string, status: number): AwsAnswer {
    return jsonError(code === 'AccessDenied' ? 'AccessDeniedException' : code, message, code === 'AccessDenied' ? 400 : status);
  }

  answer(request: AwsRequest, { name }: AwsAction, useKey: UseKey): AwsAnswer {
    const asked = names(request);
    const found = asked.filter((each) => this.parameters.has(each)).map((each) => ({ Name: each, Type: 'SecureString', Value: this.read(each, request, useKey) }));
    if (name === 'GetParameters') return jsonAnswer({ Parameters: found, InvalidParameters: asked.filter((each) => !this.parameters.has(each)) });
    if (name !== 'GetParameter') return this.error('UnknownOperationException', name, 400);
    return found.length > 0 ? jsonAnswer({ Parameter: found[0] }) : this.error('ParameterNotFound', `Parameter ${asked[0]} not found.`, 400);
  }

  /** https://docs.aws.amazon.com/systems-manager/latest/userguide/secure-string-parameter-kms-encryption.html */
  private read(name: string, request: AwsRequest, useKey: UseKey): string {
    const { value, keyArn } = this.parameters.get(name)!;
    const { WithDecryption = false } = JSON.parse(request.body) as { WithDecryption?: boolean };
    if (!WithDecryption) return Buffer.from(`encrypted ${value}`).toString('base64');
    useKey(['Decrypt'], keyArn, { PARAMETER_ARN: arnOf(name, request) });
    return value;
  }
}

function arnOf(name: string, { principal, region }: AwsRequest): string {
  return `arn:aws:ssm:${region}:${principal.account}:parameter/${name.replace(/^\//, '')}`;
}

function names(request: AwsRequest): readonly string[] {
  const { Name, Names } = JSON.parse(request.body) as { Name?: string; Names?: string[] };
  return Names ?? [Name ?? ''];
}
