import type { DeclaredFunction } from './declared';

export interface Surroundings {
  readonly region: string;
  readonly gatewayUrl: string;
  readonly accessKey: string;
  /** proxy and certificate */
  readonly network: Readonly<Record<string, string>>;
}

/** What a function finds in its environment besides the template's own variables: Lambda's reserved names and the way to the local cloud. */
export function lambdaEnvironment(declared: DeclaredFunction, { region, gatewayUrl, accessKey, network }: Surroundings): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: declared.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(declared.memoryMiB),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${declared.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: declared.folder,
    TZ: ':UTC',
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SESSION_TOKEN: 'local',
    AWS_ENDPOINT_URL: gatewayUrl,
    ...network,
  };
}
