import { createHash } from 'node:crypto';

/** Where the template is "deployed" to. */
export interface Place {
  readonly stack: string;
  readonly account: string;
  readonly region: string;
  /** of SQS: a queue's URL is an address that the handlers really open */
  readonly endpoint: string;
}

export interface PhysicalIds {
  /** what `Ref` gives */
  readonly ref: string;
  /** what `Fn::GetAtt` gives */
  readonly attributes: Readonly<Record<string, string>>;
}

/** What a resource is called once it exists: the same at every deployment of the same stack, as an update in place leaves it. */
export function physicalIds(type: string, logicalId: string, properties: Readonly<Record<string, unknown>>, place: Place): PhysicalIds {
  const name = `${place.stack}-${logicalId}`;
  const arn = (service: string, resource: string, region = place.region) => `arn:aws:${service}:${region}:${place.account}:${resource}`;
  switch (type) {
    case 'AWS::SQS::Queue': {
      const queue = properties.FifoQueue === true ? `${name}.fifo` : name;
      return { ref: `${place.endpoint}/${place.account}/${queue}`, attributes: { Arn: arn('sqs', queue), QueueName: queue } };
    }
    case 'AWS::Lambda::Function': return { ref: name, attributes: { Arn: arn('lambda', `function:${name}`) } };
    case 'AWS::IAM::Role': return { ref: name, attributes: { Arn: arn('iam', `role/${name}`, ''), RoleId: roleId(name) } };
    // Secrets Manager appends six characters of its own to every name
    case 'AWS::SecretsManager::Secret': return { ref: arn('secretsmanager', `secret:${name}-Ab1Cd2`), attributes: { Id: arn('secretsmanager', `secret:${name}-Ab1Cd2`) } };
    case 'AWS::SSM::Parameter': return { ref: name, attributes: {} };
    case 'AWS::Events::Rule': return { ref: name, attributes: { Arn: arn('events', `rule/${name}`) } };
    case 'AWS::Logs::LogGroup': return { ref: name, attributes: { Arn: arn('logs', `log-group:${name}:*`) } };
    case 'AWS::KMS::Key': return { ref: name, attributes: { Arn: arn('kms', `key/${name}`), KeyId: name } };
    case 'AWS::DynamoDB::GlobalTable':
    case 'AWS::DynamoDB::Table': return { ref: name, attributes: { Arn: arn('dynamodb', `table/${name}`) } };
    case 'AWS::StepFunctions::StateMachine': return { ref: arn('states', `stateMachine:${name}`), attributes: { Arn: arn('states', `stateMachine:${name}`), Name: name } };
    default: return { ref: name, attributes: {} };
  }
}

/** Not the name: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids */
function roleId(name: string): string {
  return `AROA${createHash('sha256').update(name).digest('hex').slice(0, 17).toUpperCase()}`;
}
