import { aws_events as events, aws_events_targets as targets } from 'aws-cdk-lib';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { describe } from './describe';
import type { HandlerFunctionProps } from './handler-function';
import { handlerFunction } from './handler-function';
import { RECORDER, WEBHOOK } from '../contract/detector-limits';

type CommonProps = Pick<HandlerFunctionProps, 'metricNamespace' | 'logGroup' | 'options' | 'variables'>;

/** Hears of every execution of a state machine, and records its job. */
export function executionRecorder(scope: Construct, props: CommonProps, stateMachineArn: string): lambda.Function {
  const recorder = handlerFunction(scope, 'Recorder', {
    ...props,
    ...RECORDER,
    bundle: 'recorder',
    purpose: 'records the jobs that runners are started for',
  });
  new events.Rule(scope, 'Executions', {
    description: describe(scope, 'hands over the executions that start runners'),
    eventPattern: {
      source: ['aws.states'],
      detailType: ['Step Functions Execution Status Change'],
      // every status: the event of the start may be lost
      detail: { stateMachineArn: [stateMachineArn] },
    },
    targets: [new targets.LambdaFunction(recorder)],
  });
  return recorder;
}

/** Takes webhooks, once somebody gives it an address. */
export function webhookFunction(scope: Construct, props: CommonProps): lambda.Function {
  return handlerFunction(scope, 'Webhook', {
    ...props,
    ...WEBHOOK,
    bundle: 'webhook',
    purpose: 'checks the signatures of webhooks: queues reports of the jobs that runners picked up',
  });
}
