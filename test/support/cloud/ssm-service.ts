import { jsonAnswer, jsonError, jsonTarget, type AwsAction, type AwsAnswer, type AwsRequest, type AwsService } from './aws-service';

/** `GetParameter` and `GetParameters` of the Systems Manager's parameter store. */
export class SsmService implements AwsService {
  readonly name = 'ssm';
  private readonly values = new Map<string, string>();

  put(name: string, value: string): void {
    this.values.set(name, value);
  }

  action(request: AwsRequest): AwsAction {
    const { principal, region } = request;
    return {
      name: jsonTarget(request),
      resources: names(request).map((name) => `arn:aws:ssm:${region}:${principal.account}:parameter/${name.replace(/^\//, '')}`),
    };
  }

  error(code: string, message: string, status: number): AwsAnswer {
    return jsonError(code === 'AccessDenied' ? 'AccessDeniedException' : code, message, code === 'AccessDenied' ? 400 : status);
  }

  answer(request: AwsRequest, { name }: AwsAction): AwsAnswer {
    const asked = names(request);
    const found = asked.filter((each) => this.values.has(each)).map((each) => ({ Name: each, Type: 'SecureString', Value: this.values.get(each) }));
    if (name === 'GetParameters') return jsonAnswer({ Parameters: found, InvalidParameters: asked.filter((each) => !this.values.has(each)) });
    if (name !== 'GetParameter') return this.error('UnknownOperationException', name, 400);
    return found.length > 0 ? jsonAnswer({ Parameter: found[0] }) : this.error('ParameterNotFound', `Parameter ${asked[0]} not found.`, 400);
  }
}

function names(request: AwsRequest): readonly string[] {
  const { Name, Names } = JSON.parse(request.body) as { Name?: string; Names?: string[] };
  return Names ?? [Name ?? ''];
}
