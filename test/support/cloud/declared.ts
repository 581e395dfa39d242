import type { Resource, Template } from './template';

/** What the template says about the parts that run. */

export interface DeclaredFunction {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  /** `file.export` inside `folder` */
  readonly handler: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMiB: number;
  readonly roleArn: string;
  /** how often Lambda repeats an asynchronous invocation that has failed */
  readonly retryAttempts: number;
}

export interface DeclaredTable {
  readonly name: string;
  /** both as CreateTable takes them */
  readonly attributeDefinitions: unknown;
  readonly keySchema: unknown;
}

/** A secret or a state machine, as far as encryption goes. */
export interface Encryptable {
  readonly arn: string;
  /** of the customer managed key, if it has one */
  readonly keyArn: string | undefined;
}

export interface DeclaredQueue extends Encryptable {
  readonly name: string;
  readonly url: string;
  /** as CreateQueue takes them */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface DeclaredEventSource {
  readonly functionName: string;
  readonly queueArn: string;
  readonly batchSize: number;
  readonly maxConcurrency: number;
  readonly reportsBatchItemFailures: boolean;
}

export interface DeclaredRule {
  readonly logicalId: string;
  readonly arn: string;
  readonly schedule: string | undefined;
  readonly pattern: Readonly<Record<string, unknown>> | undefined;
  readonly targetArns: readonly string[];
}

export function declaredFunctions(template: Template): readonly DeclaredFunction[] {
  return template.ofType('AWS::Lambda::Function').map(({ logicalId, properties }) => ({
    logicalId,
    name: template.ref(logicalId),
    arn: template.attribute(logicalId, 'Arn'),
    handler: String(properties.Handler),
    folder: template.assetFolder(properties.Code as { S3Key?: unknown }),
    environment: ((properties.Environment as { Variables?: Record<string, string> } | undefined)?.Variables) ?? {},
    timeoutSeconds: Number(properties.Timeout ?? 3),
    memoryMiB: Number(properties.MemorySize ?? 128),
    roleArn: String(properties.Role),
    retryAttempts: retryAttempts(template, template.ref(logicalId)),
  }));
}

function retryAttempts(template: Template, functionName: string): number {
  const config = template.ofType('AWS::Lambda::EventInvokeConfig').find(({ properties }) => properties.FunctionName === functionName);
  // Lambda's own default
  return Number(config?.properties.MaximumRetryAttempts ?? 2);
}

export function declaredTables(template: Template): readonly DeclaredTable[] {
  return template.ofType('AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table').map(({ logicalId, properties }) => ({
    name: template.ref(logicalId), attributeDefinitions: properties.AttributeDefinitions, keySchema: properties.KeySchema,
  }));
}

/** Dead-letter queues first: another queue's redrive policy names them. */
export function declaredQueues(template: Template): readonly DeclaredQueue[] {
  return template.ofType('AWS::SQS::Queue')
    .map((resource) => declaredQueue(template, resource))
    .sort((a, b) => Number('RedrivePolicy' in a.attributes) - Number('RedrivePolicy' in b.attributes));
}

function declaredQueue(template: Template, { logicalId, properties }: Resource): DeclaredQueue {
  const names = ['DelaySeconds', 'VisibilityTimeout', 'MessageRetentionPeriod', 'FifoQueue', 'ContentBasedDeduplication',
    'ReceiveMessageWaitTimeSeconds', 'MaximumMessageSize', 'DeduplicationScope', 'FifoThroughputLimit'];
  const attributes = Object.fromEntries(names.filter((name) => properties[name] !== undefined).map((name) => [name, String(properties[name])]));
  const redrive: Record<string, string> = properties.RedrivePolicy ? { RedrivePolicy: JSON.stringify(properties.RedrivePolicy) } : {};
  return {
    name: template.attribute(logicalId, 'QueueName'),
    arn: template.attribute(logicalId, 'Arn'),
    url: template.ref(logicalId),
    attributes: { ...attributes, ...redrive },
    keyArn: keyArn(logicalId, properties.KmsMasterKeyId),
  };
}

export function declaredSecrets(template: Template): readonly Encryptable[] {
  return template.ofType('AWS::SecretsManager::Secret').map(({ logicalId, properties }) => ({
    arn: template.ref(logicalId), keyArn: keyArn(logicalId, properties.KmsKeyId),
  }));
}

export function declaredStateMachines(template: Template): readonly Encryptable[] {
  return template.ofType('AWS::StepFunctions::StateMachine').map(({ logicalId, properties }) => ({
    arn: template.ref(logicalId), keyArn: keyArn(logicalId, (properties.EncryptionConfiguration as { KmsKeyId?: unknown } | undefined)?.KmsKeyId),
  }));
}

/** Policies speak of keys by their ARNs; ids and aliases would have to be looked up. */
function keyArn(logicalId: string, key: unknown): string | undefined {
  if (key === undefined || String(key).startsWith('arn:')) return key as string | undefined;
  throw new Error(`the local cloud knows keys by their ARNs only, and '${logicalId}' is encrypted with '${String(key)}'`);
}

export function declaredEventSources(template: Template): readonly DeclaredEventSource[] {
  return template.ofType('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => properties.Enabled !== false)
    .map(({ properties }) => ({
      functionName: String(properties.FunctionName),
      queueArn: String(properties.EventSourceArn),
      batchSize: Number(properties.BatchSize ?? 10),
      // Lambda itself allows five pollers when no limit is declared
      maxConcurrency: Number((properties.ScalingConfig as { MaximumConcurrency?: number } | undefined)?.MaximumConcurrency ?? 5),
      reportsBatchItemFailures: ((properties.FunctionResponseTypes as string[] | undefined) ?? []).includes('ReportBatchItemFailures'),
    }));
}

export function declaredRules(template: Template): readonly DeclaredRule[] {
  return template.ofType('AWS::Events::Rule')
    .filter(({ properties }) => properties.State !== 'DISABLED')
    .map(({ logicalId, properties }) => ({
      logicalId,
      arn: template.attribute(logicalId, 'Arn'),
      schedule: properties.ScheduleExpression as string | undefined,
      pattern: properties.EventPattern as Record<string, unknown> | undefined,
      targetArns: ((properties.Targets as { Arn: string }[] | undefined) ?? []).map(({ Arn }) => Arn),
    }));
}
