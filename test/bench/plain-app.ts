import { join } from 'node:path';
import { Duration, RemovalPolicy, aws_dynamodb as dynamodb, aws_events as events, aws_events_targets as targets, aws_iam as iam, aws_lambda as lambda, aws_logs as logs, aws_logs_destinations as destinations, aws_sqs as sqs } from 'aws-cdk-lib';
import type { Stack } from 'aws-cdk-lib';

/** What both constructs make, written down as somebody would who has only CDK's own constructs. */
export function plainResources(stack: Stack, assets: string): void {
  const secret = `arn:aws:secretsmanager:${stack.region}:${stack.account}:secret:github-app-??????`;
  const allow = (actions: string[], resources: string[]) => new iam.PolicyStatement({ actions, resources });

  const fn = (id: string, bundle: string, logGroup: logs.LogGroup, memorySize: number, timeout: number, retryAttempts?: number) => {
    const role = new iam.Role(stack, `${id}Role`, { assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'), description: `permissions of ${id}` });
    logGroup.grantWrite(role);
    return new lambda.Function(stack, id, {
      role,
      logGroup,
      memorySize,
      retryAttempts,
      description: `${id} of the runners`,
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      handler: 'index.handler',
      code: lambda.Code.fromAsset(join(assets, `${bundle}.lambda`)),
      timeout: Duration.seconds(timeout),
      environment: { GITHUB_URL: 'https://github.com', SCOPE: JSON.stringify({ kind: 'organization', owner: 'acme' }), DRY_RUN: 'true', SECRET: secret },
    });
  };
  const queue = (id: string, props: sqs.QueueProps) => new sqs.Queue(stack, id, {
    fifo: true, contentBasedDeduplication: false, encryption: sqs.QueueEncryption.SQS_MANAGED, enforceSSL: true, ...props,
  });
  const logGroup = (id: string) => new logs.LogGroup(stack, id, { retention: logs.RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY });
  const poll = (id: string, consumer: lambda.Function, from: sqs.Queue) => {
    from.grantConsumeMessages(consumer);
    consumer.addEventSourceMapping(id, { eventSourceArn: from.queueArn, batchSize: 10, maxConcurrency: 2, reportBatchItemFailures: true });
  };

  const deadLetters = queue('DeadLetters', { retentionPeriod: Duration.days(14) });
  const candidates = queue('Candidates', {
    deliveryDelay: Duration.minutes(15),
    visibilityTimeout: Duration.minutes(12),
    retentionPeriod: Duration.days(1),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 },
  });
  const janitorLogs = logGroup('JanitorLogs');
  const discovery = fn('Discovery', 'discovery', janitorLogs, 512, 300, 0);
  const confirmation = fn('Confirmation', 'confirmation', janitorLogs, 512, 120);
  candidates.grantSendMessages(discovery);
  poll('CandidatesMapping', confirmation, candidates);
  for (const { role } of [discovery, confirmation]) role!.addToPrincipalPolicy(allow(['secretsmanager:GetSecretValue'], [secret]));
  new iam.Policy(stack, 'Machines', { roles: [discovery.role!, confirmation.role!], statements: [allow(['ec2:DescribeInstances'], ['*'])] });
  new events.Rule(stack, 'Schedule', {
    description: 'starts the first look',
    schedule: events.Schedule.rate(Duration.minutes(30)),
    targets: [new targets.LambdaFunction(discovery, { retryAttempts: 0 })],
  });

  const table = new dynamodb.TableV2(stack, 'Table', {
    partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING }, timeToLiveAttribute: 'ttl', removalPolicy: RemovalPolicy.DESTROY,
  });
  const reports = queue('Reports', { deliveryDelay: Duration.minutes(1), visibilityTimeout: Duration.minutes(3), retentionPeriod: Duration.hours(1) });
  const detectorLogs = logGroup('DetectorLogs');
  const intake = fn('Intake', 'intake', detectorLogs, 256, 30);
  const judge = fn('Judge', 'judge', detectorLogs, 256, 30);
  reports.grantSendMessages(intake);
  poll('ReportsMapping', judge, reports);
  table.grants.actions(judge, 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
  const stateMachine = `arn:aws:states:${stack.region}:${stack.account}:stateMachine:orchestrator`;
  judge.addToRolePolicy(allow(['states:StartExecution'], [stateMachine]));
  judge.addToRolePolicy(allow(['states:DescribeExecution'], [`${stateMachine.replace(':stateMachine:', ':execution:')}:*`]));
  judge.addToRolePolicy(allow(['secretsmanager:GetSecretValue'], [secret]));
  new logs.SubscriptionFilter(stack, 'Lines', {
    logGroup: logs.LogGroup.fromLogGroupName(stack, 'RunnerLogs', '/runners'),
    filterPattern: logs.FilterPattern.literal('"CDKGHR JOB RUNNER="'),
    destination: new destinations.LambdaDestination(intake),
  });
}
