import { ArnFormat, Stack, Token, aws_lambda as lambda, aws_logs as logs, aws_logs_destinations as destinations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { checkPlace } from './place';
import { invalid } from './validate';
import { LOG_FILTER_PATTERN } from '../contract/detector-limits';

/** Sends the marker lines of runner log groups to one function. */
export class LogDeliveries {
  private readonly watched = new Set<string>();
  private permission?: lambda.CfnPermission;

  constructor(private readonly scope: Construct, private readonly fn: lambda.Function, private readonly own: logs.ILogGroup) {}

  get areWatched(): boolean {
    return this.watched.size > 0;
  }

  /** The same log group twice is the same filter. */
  watch(property: string, logGroup: logs.ILogGroup): void {
    const key = keyOf(logGroup);
    if (key === keyOf(this.own)) {
      throw invalid(property, "a log group of runners, not the detector's own, whose lines would come back to it for ever", logGroup.node.path);
    }
    checkPlace(this.scope, property, 'a log group', logGroup);
    if (this.watched.has(key)) return;
    this.watched.add(key);
    const filter = new logs.SubscriptionFilter(this.scope, `Lines ${logGroup.node.path}`, {
      logGroup,
      filterPattern: logs.FilterPattern.literal(LOG_FILTER_PATTERN),
      destination: new destinations.LambdaDestination(this.fn, { addPermissions: false }),
    });
    // CloudWatch refuses a filter whose function it may not call
    filter.node.addDependency(this.permission ??= this.permit());
  }

  /** One for all log groups: a function's policy has room for about fifty. */
  private permit(): lambda.CfnPermission {
    const stack = Stack.of(this.scope);
    return new lambda.CfnPermission(this.scope, 'LogDeliveries', {
      action: 'lambda:InvokeFunction',
      functionName: this.fn.functionArn,
      principal: 'logs.amazonaws.com',
      sourceAccount: stack.account,
      sourceArn: stack.formatArn({ service: 'logs', resource: 'log-group', resourceName: '*', arnFormat: ArnFormat.COLON_RESOURCE_NAME }),
    });
  }
}

/** Two imports of one log group have the same name, and two log groups of different stacks may have the same reference. */
function keyOf(logGroup: logs.ILogGroup): string {
  const { logGroupName: name } = logGroup;
  if (!Token.isUnresolved(name)) return name;
  const stack = Stack.of(logGroup);
  return `${stack.node.addr} ${JSON.stringify(stack.resolve(name))}`;
}
