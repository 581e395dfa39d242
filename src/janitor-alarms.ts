import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { Evidence } from './evidence';
import { describe } from './private/describe';
import { firstOccurrenceAlarm } from './private/first-occurrence-alarm';
import type { RegistrationJanitor } from './registration-janitor';

/** Options of `RegistrationJanitor.createAlarms`. */
export interface JanitorAlarmsOptions {
  /**
   * What to do when one of them goes off.
   *
   * @default - nothing, the alarms only change their state
   */
  readonly actions?: cloudwatch.IAlarmAction[];
}

/** Properties of `JanitorAlarms`. */
export interface JanitorAlarmsProps extends JanitorAlarmsOptions {
  /** Whom to watch. */
  readonly janitor: RegistrationJanitor;
}

/** Alarms on everything about a janitor that needs a person. Each goes off at the first occurrence within five minutes. */
export class JanitorAlarms extends Construct {
  /** A first look failed: nothing could be read, a permission is missing, or the scope is suspect. */
  public readonly discoveryFailed: cloudwatch.Alarm;

  /** The second look crashed. */
  public readonly confirmationFailed: cloudwatch.Alarm;

  /** Candidates could not be judged in five attempts. */
  public readonly deadLetters: cloudwatch.Alarm;

  /**
   * An online runner with our name has no machine. Nothing is deleted until that is explained.
   *
   * Undefined with `Evidence.TERMINATED_SEEN`, where other accounts may have such runners.
   */
  public readonly scopeViolated?: cloudwatch.Alarm;

  /** GitHub refuses deletions. */
  public readonly deletionRefused: cloudwatch.Alarm;

  /** An App or token cannot be used. */
  public readonly credentialTrouble: cloudwatch.Alarm;

  constructor(scope: Construct, id: string, props: JanitorAlarmsProps) {
    super(scope, id);
    const { janitor, actions = [] } = props;

    const alarm = (name: string, metric: cloudwatch.IMetric, what: string) =>
      firstOccurrenceAlarm(this, name, { metric, description: describe(janitor, what), actions });

    this.discoveryFailed = alarm('DiscoveryFailed', janitor.discoveryFunction.metricErrors(), 'a first look failed, its log says why');
    this.confirmationFailed = alarm('ConfirmationFailed', janitor.confirmationFunction.metricErrors(), 'a second look crashed, its log says why');
    this.deadLetters = alarm('DeadLetters', janitor.deadLetterQueue.metricApproximateNumberOfMessagesVisible(),
      'candidates could not be judged in five attempts');
    if (janitor._evidence === Evidence.ABSENT) {
      this.scopeViolated = alarm('ScopeViolated', janitor.metricScopeViolations(),
        'an online runner with our name has no machine: a region is missing or a prefix is shared');
    }
    this.deletionRefused = alarm('DeletionRefused', janitor.metricRefused(), 'GitHub refuses deletions: the permission to write is missing');
    this.credentialTrouble = alarm('CredentialTrouble', janitor.metricCredentialTrouble(), 'an App or token cannot be used');
  }
}
