import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fleet } from './fleet';
import type { ComputeConfig, CredentialsConfig, ScopeConfig } from '../../src/contract/janitor-config';
import { CANDIDATE_SENDER_ENV, JANITOR_ENV } from '../../src/contract/janitor-config';
import { METRIC_NAMESPACE } from '../../src/contract/janitor-metrics';

/** Role of the first look. */
export const SENDER = 'AROAFIRSTLOOK';

const SECRET = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:app-a1b2c3';

/** The environment that both functions of a janitor over this fleet have, with AWS on loopback. */
export function janitorEnvironment(fleet: Fleet, urls: { queue: string; sqs: string; secrets: string }): Record<string, string> {
  const scope: ScopeConfig = { kind: 'organization', owner: fleet.owner, groups: { names: fleet.groups.map(({ name }) => name), ids: [] } };
  const credentials: CredentialsConfig = { kind: 'apps', secrets: ['APP_SECRET'] };
  const compute: ComputeConfig = { kind: 'ec2', runnerNamePrefixes: [fleet.prefix], regions: fleet.regions };
  return {
    [JANITOR_ENV.githubUrl]: fleet.github.url,
    [JANITOR_ENV.scope]: JSON.stringify(scope),
    [JANITOR_ENV.credentials]: JSON.stringify(credentials),
    [JANITOR_ENV.compute]: JSON.stringify(compute),
    [JANITOR_ENV.evidence]: 'absent',
    [JANITOR_ENV.dryRun]: 'false',
    [JANITOR_ENV.candidatesPerRun]: '100',
    [JANITOR_ENV.quotaReserve]: '0.2',
    [JANITOR_ENV.schedule]: 'rate(30 minutes)',
    [JANITOR_ENV.queueUrl]: urls.queue,
    [CANDIDATE_SENDER_ENV]: SENDER,
    APP_SECRET: SECRET,
    POWERTOOLS_SERVICE_NAME: 'Bench/Janitor',
    POWERTOOLS_METRICS_NAMESPACE: METRIC_NAMESPACE,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_ENDPOINT_URL_EC2: fleet.ec2.url,
    AWS_ENDPOINT_URL_SQS: urls.sqs,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: urls.secrets,
  };
}

/** Secrets Manager with one secret in it. */
export async function serveSecret(value: unknown): Promise<{ url: string; stop: () => void }> {
  const body = JSON.stringify({ ARN: SECRET, Name: 'app', SecretString: JSON.stringify(value), VersionId: '1' });
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
