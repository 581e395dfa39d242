import { existsSync } from 'fs';
import * as path from 'path';
import { Duration, RemovalPolicy, aws_iam as iam, aws_lambda as lambda, aws_logs as logs } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { HandlerFunctionOptions } from '../handler-function-options';
import { describe } from './describe';
import { handlerEnvironment } from './handler-environment';

/** The Node.js version that the bundles are compiled for; NODEJS_LATEST would change with the user's CDK version. */
export const RUNTIME = lambda.Runtime.NODEJS_24_X;

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions */
const NETWORK_INTERFACE_ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

export interface HandlerFunctionProps {
  /** the bundle: `discovery` is made from lambda-src/discovery.lambda.ts */
  readonly bundle: string;
  /** what the function does, for its description */
  readonly purpose: string;
  readonly timeoutSeconds: number;
  readonly memoryMiB: number;
  /** set by the construct itself; the user's environment may not replace them */
  readonly variables: Record<string, string>;
  readonly metricNamespace: string;
  readonly logGroup: logs.ILogGroup;
  /** for functions that are invoked asynchronously: how often Lambda repeats a failed invocation */
  readonly retryAttempts?: number;
  readonly options: HandlerFunctionOptions;
}

/** The one place where a bundle becomes a function. Its role allows nothing but logging, and in a VPC what Lambda needs to connect it. */
export function handlerFunction(scope: Construct, id: string, props: HandlerFunctionProps): lambda.Function {
  const { options } = props;
  const role = new iam.Role(scope, `${id}Role`, {
    assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
    description: describe(scope, `permissions of the function that ${props.purpose}`),
  });
  props.logGroup.grantWrite(role);
  if (options.vpc) networkInterfaceStatements().forEach((statement) => role.addToPolicy(statement));

  return new lambda.Function(scope, id, {
    description: describe(scope, props.purpose),
    runtime: RUNTIME,
    handler: 'index.handler',
    code: lambda.Code.fromAsset(bundleDirectory(props.bundle)),
    architecture: options.architecture ?? lambda.Architecture.ARM_64,
    timeout: Duration.seconds(props.timeoutSeconds),
    memorySize: props.memoryMiB,
    environment: handlerEnvironment({
      ...props.variables,
      POWERTOOLS_SERVICE_NAME: scope.node.path,
      POWERTOOLS_METRICS_NAMESPACE: props.metricNamespace,
    }, options.environment),
    role,
    logGroup: props.logGroup,
    retryAttempts: props.retryAttempts,
    layers: options.layers,
    vpc: options.vpc,
    vpcSubnets: options.vpcSubnets,
    securityGroups: options.securityGroups,
  });
}

/**
 * Lambda makes the network interfaces with the function's role. The function itself, which reads what strangers write, has no business with
 * them: only calls that its code makes carry the ARN of a function, see
 * https://docs.aws.amazon.com/lambda/latest/dg/permissions-source-function-arn.html
 */
function networkInterfaceStatements(): iam.PolicyStatement[] {
  const statement = { actions: NETWORK_INTERFACE_ACTIONS, resources: ['*'] };
  return [
    new iam.PolicyStatement(statement),
    // that there is an ARN says enough; which one it is would make a circle of role and function
    new iam.PolicyStatement({ ...statement, effect: iam.Effect.DENY, conditions: { Null: { 'lambda:SourceFunctionArn': 'false' } } }),
  ];
}

/** The log group of a construct whose user brings none. */
export function handlerLogGroup(scope: Construct, options: HandlerFunctionOptions): logs.ILogGroup {
  return options.logGroup ?? new logs.LogGroup(scope, 'Logs', {
    retention: logs.RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
}

/** The same folder from src/private and, once compiled, from lib/private. */
function bundleDirectory(name: string): string {
  const directory = path.join(__dirname, '..', '..', 'assets', `${name}.lambda`);
  if (!existsSync(directory)) throw new Error(`the bundle ${directory} is missing: in a clone of the repository, run npx projen bundle`);
  return directory;
}
