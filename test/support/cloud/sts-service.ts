import { randomUUID } from 'node:crypto';
import { escapeXml, xmlAnswer, type AwsAction, type AwsAnswer, type AwsRequest, type AwsService } from './aws-service';
import type { Principal } from './call-recorder';

/** `AssumeRole` into roles of other accounts that were declared to trust us. */
export class StsService implements AwsService {
  readonly name = 'sts';
  private readonly trusting = new Set<string>();

  /** @param principals where the keys that are handed out become known */
  constructor(private readonly principals: Map<string, Principal>) {}

  trust(roleArn: string): void {
    this.trusting.add(roleArn);
  }

  action({ body }: AwsRequest): AwsAction {
    const parameters = new URLSearchParams(body);
    return { name: parameters.get('Action') ?? '', resources: [parameters.get('RoleArn') ?? '*'] };
  }

  error(code: string, message: string, status: number): AwsAnswer {
    return xmlAnswer(`<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error><RequestId>1</RequestId></ErrorResponse>`, status);
  }

  answer(request: AwsRequest, { name, resources }: AwsAction): AwsAnswer {
    const roleArn = resources[0]!;
    if (name !== 'AssumeRole') return this.error('InvalidAction', name, 400);
    if (!this.trusting.has(roleArn)) return this.error('AccessDenied', `${request.principal.name} is not trusted by ${roleArn}`, 403);
    const accessKey = `ASIA${randomUUID().replace(/-/g, '').slice(0, 16).toUpperCase()}`;
    this.principals.set(accessKey, { name: roleArn, account: roleArn.split(':')[4]!, statements: undefined });
    return xmlAnswer([
      '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>',
      `<AccessKeyId>${accessKey}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>`,
      '<Expiration>2100-01-01T00:00:00Z</Expiration></Credentials>',
      `<AssumedRoleUser><AssumedRoleId>1</AssumedRoleId><Arn>${roleArn}</Arn></AssumedRoleUser>`,
      '</AssumeRoleResult></AssumeRoleResponse>',
    ].join(''));
  }
}
