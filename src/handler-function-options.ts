import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as logs from 'aws-cdk-lib/aws-logs';

/** Where and how the Lambda functions of a construct run; it applies to all of them. */
export interface HandlerFunctionOptions {
  /**
   * VPC to run in. The functions call GitHub and AWS, so its subnets need a way to both: NAT, or a proxy to GitHub and VPC endpoints to AWS
   * (see `environment`).
   *
   * @default - no VPC
   */
  readonly vpc?: ec2.IVpc;

  /**
   * Subnets to run in. Only with `vpc`.
   *
   * @default - the private subnets of `vpc`. They need a NAT gateway, or a proxy and endpoints: a function has no public address in any subnet
   */
  readonly vpcSubnets?: ec2.SubnetSelection;

  /**
   * Security groups of the functions. Only with `vpc`.
   *
   * @default - one for each function, which lets everything out and nothing in
   */
  readonly securityGroups?: ec2.ISecurityGroup[];

  /**
   * Layers to add, for example one with the certificate of a private CA.
   *
   * @default - none
   */
  readonly layers?: lambda.ILayerVersion[];

  /**
   * More environment variables. Variables that the construct itself sets are refused.
   *
   * For a proxy: `NODE_USE_ENV_PROXY=1`, `HTTPS_PROXY` and `NO_PROXY`. It serves GitHub only. The AWS SDK takes no notice of it, so AWS has to
   * be reached directly or through VPC endpoints: `secretsmanager` (`ssm` where credentials are in parameters) and `sqs`; for the janitor also
   * `ec2` of every configured region, where each but the VPC's own takes NAT or a way to an endpoint over there; for the detector also
   * `states` and `dynamodb`.
   *
   * For a private CA: `NODE_EXTRA_CA_CERTS` with the path of a PEM file in a layer (`/opt/...`).
   *
   * @default - only what the construct sets
   */
  readonly environment?: { [name: string]: string };

  /**
   * Where the functions log to. Everything they decide is logged there, with the reason.
   *
   * @default - one log group for all of them, kept for a month and removed with the stack
   */
  readonly logGroup?: logs.ILogGroup;

  /**
   * Processor architecture of the functions. The layers have to fit.
   *
   * @default Architecture.ARM_64
   */
  readonly architecture?: lambda.Architecture;
}
