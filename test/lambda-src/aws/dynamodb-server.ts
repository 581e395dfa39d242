import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';

/** DynamoDB (dynalite) on loopback. */
export class DynamoDbServer {
  static async start(): Promise<DynamoDbServer> {
    const server = dynalite({ createTableMs: 0 });
    server.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new DynamoDbServer(server);
  }

  private tables = 0;

  private constructor(private readonly server: Server) {}

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  client(): DynamoDBClient {
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' };
    return new DynamoDBClient({ region: 'us-east-1', endpoint: this.url, credentials, maxAttempts: 1 });
  }

  /** @returns the name of a new table whose only key is `pk` */
  async table(client: DynamoDBClient): Promise<string> {
    const TableName = `ledger${this.tables++}`;
    await client.send(new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }));
    // until then it is created in the background, as at AWS
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName });
    return TableName;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
