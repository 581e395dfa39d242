import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ConditionalCheckFailedException, GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { LEDGER_ATTRIBUTES as NAMES, LEDGER_KEYS } from '../../src/contract/ledger-items';
import type { Clock, Deadline } from '../shared/deadline';
import { TransientError } from '../shared/errors';
import { withinDeadline } from '../shared/within-deadline';
import type { KnownPickUp, Ledger, PickUp, RecordedJob, StartedRunner } from '../stolen/ports';

export interface JobLedgerOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly ttlSeconds: number;
  readonly deadline: Deadline;
  readonly now?: Clock;
}

type Item = Record<string, AttributeValue>;

/** One UpdateItem; the time to live is added to its names and values. */
interface Change {
  readonly update: string;
  readonly names: readonly string[];
  readonly values: Item;
  readonly condition?: string;
}

/** The table of started runners and their pick-ups, on DynamoDB, during one invocation. */
export class JobLedger implements Ledger {
  constructor(private readonly options: JobLedgerOptions) {}

  async job(jobId: number): Promise<RecordedJob | undefined> {
    const item = await this.read(LEDGER_KEYS.job(jobId));
    return item && { id: jobId, runners: item[NAMES.runners]?.SS ?? [], labels: item[NAMES.labels]?.SS };
  }

  async pickUp(runnerName: string): Promise<KnownPickUp | undefined> {
    const item = await this.read(LEDGER_KEYS.runner(runnerName));
    if (!item) return undefined;
    const id = (value: AttributeValue | undefined) => value?.N === undefined ? undefined : Number(value.N);
    return {
      runnerName,
      jobId: id(item[NAMES.jobId]),
      repository: item[NAMES.repository]?.S,
      runId: id(item[NAMES.runId]),
      isConcluded: item[NAMES.announced]?.BOOL === true,
    };
  }

  async recordRunner({ jobId, runnerName, labels = [] }: StartedRunner): Promise<void> {
    // DynamoDB has no empty sets, and unknown labels are left out
    const areKnown = labels.length > 0;
    await this.update(LEDGER_KEYS.job(jobId), {
      update: `ADD #runners :runners${areKnown ? ', #labels :labels' : ''} SET #ttl = :ttl`,
      names: [NAMES.runners, ...(areKnown ? [NAMES.labels] : [])],
      values: { ':runners': { SS: [runnerName] }, ...(areKnown && { ':labels': { SS: [...new Set(labels)] } }) },
    });
  }

  async recordPickUp({ runnerName, jobId, repository, runId }: PickUp): Promise<boolean> {
    const { client, deadline } = this.options;
    const command = new PutItemCommand({
      TableName: this.options.table,
      Item: {
        [NAMES.key]: { S: LEDGER_KEYS.runner(runnerName) },
        ...(jobId !== undefined && { [NAMES.jobId]: { N: String(jobId) } }),
        ...(repository !== undefined && { [NAMES.repository]: { S: repository } }),
        ...(runId !== undefined && { [NAMES.runId]: { N: String(runId) } }),
        [NAMES.ttl]: this.expiry(),
      },
      ConditionExpression: 'attribute_not_exists(#pk) OR #ttl < :now',
      ExpressionAttributeNames: { '#pk': NAMES.key, '#ttl': NAMES.ttl },
      ExpressionAttributeValues: { ':now': { N: String(this.seconds()) } },
    });
    return unlessConditionFails(withinDeadline(deadline, `writing what ${runnerName} picked up`, (abortSignal) => client.send(command, { abortSignal })));
  }

  async claimReplacement(runnerName: string, maxPerHour: number): Promise<boolean> {
    const hour = new Date(this.now()).toISOString().slice(0, 'yyyy-mm-ddThh'.length);
    return this.update(LEDGER_KEYS.hour(hour), {
      // a set of names instead of a number: a report that comes back does not count twice
      update: 'ADD #started :names SET #ttl = :ttl',
      names: [NAMES.started],
      values: { ':names': { SS: [runnerName] }, ':name': { S: runnerName }, ':max': { N: String(maxPerHour) } },
      condition: 'attribute_not_exists(#started) OR contains(#started, :name) OR size(#started) < :max',
    });
  }

  async announce(runnerName: string): Promise<boolean> {
    return this.update(LEDGER_KEYS.runner(runnerName), {
      update: 'SET #announced = :true, #ttl = :ttl',
      names: [NAMES.announced],
      values: { ':true': { BOOL: true } },
      condition: 'attribute_not_exists(#announced)',
    });
  }

  private async read(key: string): Promise<Item | undefined> {
    const { client, deadline } = this.options;
    const command = new GetItemCommand({ TableName: this.options.table, Key: { [NAMES.key]: { S: key } }, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' });
    const { Item: item, ConsumedCapacity: capacity } = await withinDeadline(deadline, `reading ${key}`, (abortSignal) => client.send(command, { abortSignal }));
    // without a row the SDK cannot tell an answer from an empty body, but DynamoDB always says what a read has cost
    if (!capacity) throw new TransientError(`reading ${key}: the answer is empty`);
    // DynamoDB deletes days late
    return item && !(Number(item[NAMES.ttl]?.N) < this.seconds()) ? item : undefined;
  }

  private async update(key: string, { update, names, values, condition }: Change): Promise<boolean> {
    const { client, deadline } = this.options;
    const command = new UpdateItemCommand({
      TableName: this.options.table,
      Key: { [NAMES.key]: { S: key } },
      UpdateExpression: update,
      ConditionExpression: condition,
      ExpressionAttributeNames: Object.fromEntries([...names, NAMES.ttl].map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: { ...values, ':ttl': this.expiry() },
    });
    return unlessConditionFails(withinDeadline(deadline, `writing ${key}`, (abortSignal) => client.send(command, { abortSignal })));
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }

  private expiry(): AttributeValue {
    return { N: String(this.seconds() + this.options.ttlSeconds) };
  }

  private seconds(): number {
    return Math.floor(this.now() / 1000);
  }
}

async function unlessConditionFails(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof TransientError && error.cause instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
