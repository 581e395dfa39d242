import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import dynalite from 'dynalite';
import { jsonTarget, type AwsAction, type AwsAnswer, type AwsRequest, type AwsService } from './aws-service';
import type { DeclaredTable } from './declared';

export type Item = Readonly<Record<string, { readonly S?: string; readonly N?: string; readonly SS?: readonly string[] }>>;

/** DynamoDB is dynalite; this hands requests on to it. Nothing is ever deleted because its time is over, as at AWS for the first days. */
export class DynamoDbService implements AwsService {
  static async start(account: string): Promise<DynamoDbService> {
    const server = dynalite({ createTableMs: 0 });
    server.keepAliveTimeout = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new DynamoDbService(server, account);
  }

  readonly name = 'dynamodb';
  private readonly tables = new Set<string>();

  private constructor(private readonly server: Server, private readonly account: string) {}

  /** Creates a table of the template, unless it exists: an update keeps its rows. */
  async declare(table: DeclaredTable): Promise<void> {
    if (this.tables.has(table.name)) return;
    const { name: TableName, attributeDefinitions: AttributeDefinitions, keySchema: KeySchema } = table;
    await this.call('CreateTable', { TableName, AttributeDefinitions, KeySchema, BillingMode: 'PAY_PER_REQUEST' });
    // until then it is created in the background, as at AWS
    while (!await this.isActive(TableName)) await pause(5);
    this.tables.add(TableName);
  }

  /** Every row, also those that are expired. */
  async items(table: string): Promise<readonly Item[]> {
    const { Items } = await this.call('Scan', { TableName: table }) as { Items: Item[] };
    return Items;
  }

  action(request: AwsRequest): AwsAction {
    const { TableName } = JSON.parse(request.body) as { TableName: string };
    return { name: jsonTarget(request), resources: [`arn:aws:dynamodb:${request.region}:${this.account}:table/${TableName}`] };
  }

  error(code: string, message: string, status: number): AwsAnswer {
    const isDenied = code === 'AccessDenied';
    const type = isDenied ? 'com.amazon.coral.service#AccessDeniedException' : `com.amazonaws.dynamodb.v20120810#${code}`;
    return { status: isDenied ? 400 : status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify({ __type: type, message }) };
  }

  answer(request: AwsRequest, { name }: AwsAction): Promise<AwsAnswer> {
    return this.forward(name, request.body);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async isActive(TableName: string): Promise<boolean> {
    const { Table } = await this.call('DescribeTable', { TableName }) as { Table: { TableStatus: string } };
    return Table.TableStatus === 'ACTIVE';
  }

  private async call(action: string, body: object): Promise<unknown> {
    const answer = await this.forward(action, JSON.stringify(body));
    if (answer.status !== 200) throw new Error(`dynalite refused ${action}: ${answer.body}`);
    return JSON.parse(answer.body);
  }

  private async forward(action: string, body: string): Promise<AwsAnswer> {
    const response = await fetch(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${action}`,
        'x-amz-date': '20260101T000000Z',
        'authorization': 'AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      },
      body,
    });
    const headers = Object.fromEntries(['content-type', 'x-amz-crc32'].map((name) => [name, response.headers.get(name) ?? '']));
    return { status: response.status, headers, body: await response.text() };
  }
}
