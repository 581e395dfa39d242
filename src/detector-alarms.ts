import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { DETECTOR_METRICS } from './contract/detector-metrics';
import { describe } from './private/describe';
import { firstOccurrenceAlarm } from './private/first-occurrence-alarm';
import type { StolenRunnerDetector } from './stolen-runner-detector';

/** Options of `StolenRunnerDetector.createAlarms`. */
export interface DetectorAlarmsOptions {
  /**
   * What to do when one of them goes off.
   *
   * @default - nothing, the alarms only change their state
   */
  readonly actions?: cloudwatch.IAlarmAction[];
}

/** Properties of `DetectorAlarms`. */
export interface DetectorAlarmsProps extends DetectorAlarmsOptions {
  /** Whom to watch. */
  readonly detector: StolenRunnerDetector;
}

/** Alarms on everything about a detector that needs a person. Each goes off at the first occurrence within five minutes. */
export class DetectorAlarms extends Construct {
  /** Lines of runners could not be taken in. */
  public readonly intakeFailed: cloudwatch.Alarm;

  /** The judge crashed. */
  public readonly judgeFailed: cloudwatch.Alarm;

  /** A runner was robbed more often than it may be replaced: its job waits. */
  public readonly gaveUp: cloudwatch.Alarm;

  /** More was stolen in an hour than may be replaced in it. */
  public readonly capReached: cloudwatch.Alarm;

  /** A report could not be judged within an hour. */
  public readonly reportExpired: cloudwatch.Alarm;

  /** Somebody writes reports that are not true. */
  public readonly forged: cloudwatch.Alarm;

  /** An App or token cannot be used. */
  public readonly credentialTrouble: cloudwatch.Alarm;

  constructor(scope: Construct, id: string, props: DetectorAlarmsProps) {
    super(scope, id);
    const { detector, actions = [] } = props;
    const alarm = (name: string, metric: cloudwatch.IMetric, what: string) =>
      firstOccurrenceAlarm(this, name, { metric, description: describe(detector, what), actions });

    this.intakeFailed = alarm('IntakeFailed', detector.intakeFunction.metricErrors(), 'lines of runners could not be taken in, the log says why');
    this.judgeFailed = alarm('JudgeFailed', detector.judgeFunction.metricErrors(), 'the judge crashed, its log says why');
    this.gaveUp = alarm('GaveUp', detector.metricGaveUp(), 'a runner was robbed more often than it may be replaced: its job waits');
    this.capReached = alarm('CapReached', detector.metricCapReached(), 'more was stolen in an hour than may be replaced in it');
    this.reportExpired = alarm('ReportExpired', detector.metricReportExpired(), 'a report could not be judged within an hour');
    this.forged = alarm('Forged', detector.metric(DETECTOR_METRICS.forged), 'somebody writes reports that are not true, the log names the runner');
    this.credentialTrouble = alarm('CredentialTrouble', detector.metricCredentialTrouble(), 'an App or token cannot be used');
  }
}
