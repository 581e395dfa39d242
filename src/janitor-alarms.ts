import { Duration, aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { DISCOVERY_METRICS } from './contract/janitor-metrics';
import { INTERVAL_SECONDS } from './contract/limits';
import { Evidence } from './evidence';
import type { CountAlarmProps } from './private/count-alarm';
import { countAlarm } from './private/count-alarm';
import { describe } from './private/describe';
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

/**
 * Alarms on everything about a janitor that needs a person.
 *
 * They count in intervals of the janitor, and where the interval is a token, in days. Unless they say otherwise they go off at the first
 * occurrence, stay as long as every look repeats it, and are over two intervals after the last one.
 */
export class JanitorAlarms extends Construct {
  /** A first look failed: nothing could be read, a permission is missing, or the scope is suspect. */
  public readonly discoveryFailed: cloudwatch.Alarm;

  /**
   * No first look has succeeded for three intervals, whether they fail, crash, or are no longer started.
   *
   * A new janitor is in this alarm until its first look has succeeded.
   */
  public readonly discoverySilent: cloudwatch.Alarm;

  /** The second look crashed. */
  public readonly confirmationFailed: cloudwatch.Alarm;

  /**
   * Candidates could not be judged in five attempts.
   *
   * It stays until the dead-letter queue is empty: 14 days, unless somebody purges it once the cause is mended (`aws sqs purge-queue`). Nothing
   * is lost by that, because a later first look finds the same registrations again. For the same reason there is no need to redrive them, and
   * of little use: what is older than a day is dropped by the second look.
   */
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

  /** A configured runner group does not exist or cannot be found: it is never cleaned. */
  public readonly groupSkipped: cloudwatch.Alarm;

  /**
   * Six of seven first looks did not read everything: for want of time, of quota above the reserve, or of permission, or because pages failed
   * in a group without an online runner of ours.
   *
   * In such a group nothing that rests on absence is deleted unless it is read to its end; the log names it (`candidates withheld`).
   */
  public readonly endedEarly: cloudwatch.Alarm;

  /** Candidates could not be queued in six of seven intervals. A single time does no harm: the next first look finds them again. */
  public readonly sendsFailed: cloudwatch.Alarm;

  /** Machines could not be looked up in six of seven intervals: their registrations stay. A single time does no harm. */
  public readonly lookupsUnknown: cloudwatch.Alarm;

  constructor(scope: Construct, id: string, props: JanitorAlarmsProps) {
    super(scope, id);
    const { janitor, actions = [] } = props;
    const period = inIntervals(janitor._interval);

    const alarm = (name: string, metric: cloudwatch.IMetric, what: string, evaluation: CountAlarmProps['evaluation'] = STILL_SO) =>
      countAlarm(this, name, { metric, description: describe(janitor, what), actions, evaluation });

    this.discoveryFailed = alarm('DiscoveryFailed', janitor.discoveryFunction.metricErrors({ period }), 'a first look failed, its log says why');
    this.discoverySilent = alarm('DiscoverySilent', janitor.metric(DISCOVERY_METRICS.succeeded, { period }),
      'no first look has succeeded for three intervals: look at the log, and whether the schedule is enabled', SILENCE);
    this.confirmationFailed = alarm('ConfirmationFailed', janitor.confirmationFunction.metricErrors({ period }), 'a second look crashed, its log says why');
    this.deadLetters = alarm('DeadLetters', janitor.deadLetterQueue.metricApproximateNumberOfMessagesVisible(),
      'candidates could not be judged in five attempts; purge the queue once the cause is mended', {});
    if (janitor._evidence === Evidence.ABSENT) {
      this.scopeViolated = alarm('ScopeViolated', janitor.metricScopeViolations({ period }),
        'an online runner with our name has no machine: a region is missing or a prefix is shared');
    }
    this.deletionRefused = alarm('DeletionRefused', janitor.metricRefused({ period }), 'GitHub refuses deletions: the permission to write is missing');
    this.credentialTrouble = alarm('CredentialTrouble', janitor.metricCredentialTrouble({ period }), 'an App or token cannot be used');
    this.groupSkipped = alarm('GroupSkipped', janitor.metric(DISCOVERY_METRICS.groupsSkipped, { period }),
      'a configured runner group does not exist, the log names it');
    this.endedEarly = alarm('EndedEarly', janitor.metricEndedEarly({ period }),
      'first looks keep ending before everything was read; what is not cleaned for that reason, the log calls candidates withheld', PERSISTENT);
    this.sendsFailed = alarm('SendsFailed', janitor.metric(DISCOVERY_METRICS.sendsFailed, { period }), 'candidates keep failing to be queued', PERSISTENT);
    this.lookupsUnknown = alarm('LookupsUnknown', janitor.metric(DISCOVERY_METRICS.lookupsUnknown, { period }),
      'machines keep failing to be looked up: is a region out of reach?', PERSISTENT);
  }
}

// looks do not take equally long, so that one interval may see the end of none and the next one of two

const STILL_SO = { evaluationPeriods: 2, datapointsToAlarm: 1 };

const PERSISTENT = { evaluationPeriods: 7, datapointsToAlarm: 6 };

const SILENCE = {
  evaluationPeriods: 3,
  comparisonOperator: cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
  treatMissingData: cloudwatch.TreatMissingData.BREACHING,
};

/**
 * Seven of the longest intervals are as much as CloudWatch looks back:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
 */
function inIntervals(interval: Duration): Duration {
  // an alarm wants seconds, and CloudFormation cannot multiply
  return interval.isUnresolved() ? Duration.seconds(INTERVAL_SECONDS.max) : interval;
}
