import { Annotations, Stack, Token, aws_events as events, aws_events_targets as targets } from 'aws-cdk-lib';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { ComputeConfig } from './contract/janitor-config';
import { NOMINATION_TAGS_ENV } from './contract/janitor-config';
import { describe } from './private/describe';
import { jsonVariable } from './private/handler-environment';
import { checkText, invalid } from './private/validate';

/** Options of `RegistrationJanitor.nominateOnTermination`. */
export interface TerminationNominationOptions {
  /**
   * Tags that the machines of runners carry, all of them, at least one. EC2 tells of the end of every instance in the account, and only
   * tags say which of them was a runner's: the end of another one costs a look at its tags, and no request at GitHub. In a value, `*` and
   * `?` stand for any text and any character, as in every filter of EC2. A runner's machine without the tags is left to the schedule.
   */
  readonly machineTags: { [name: string]: string };
}

/** Sends the ends of machines to the function that takes the first look. */
export function nominateOnTermination(
  janitor: Construct,
  fn: lambda.Function,
  { regions }: ComputeConfig,
  { machineTags }: TerminationNominationOptions,
): void {
  const names = Object.keys(machineTags ?? {});
  if (names.length === 0) throw invalid('machineTags', 'at least one tag that the machines of runners carry', 'none');
  names.forEach((name) => checkText('machineTags', name));
  fn.addEnvironment(NOMINATION_TAGS_ENV, jsonVariable(janitor, machineTags));
  warnIfUnheard(janitor, regions);
  new events.Rule(janitor, 'Terminations', {
    description: describe(janitor, 'nominates the runner of a machine that ends'),
    eventPattern: {
      source: ['aws.ec2'],
      detailType: ['EC2 Instance State-change Notification'],
      detail: { state: ['shutting-down', 'terminated'] },
    },
    // an event that is lost costs nothing but time: the next first look finds the registration
    targets: [new targets.LambdaFunction(fn, { retryAttempts: 0 })],
  });
}

/** EventBridge delivers the events of its own region only. */
function warnIfUnheard(janitor: Construct, regions: readonly string[]): void {
  const { region } = Stack.of(janitor);
  if (Token.isUnresolved(region) || regions.some((listed) => Token.isUnresolved(listed) || listed === region)) return;
  Annotations.of(janitor).addWarningV2('cdk-github-runner-janitor:RegistrationJanitor.terminationsUnheard',
    `'nominateOnTermination' hears of machines in ${region} only, and the provider covers ${regions.join(', ')}: `
    + 'forward the state-change events of those regions to this one, or leave their registrations to the schedule');
}
