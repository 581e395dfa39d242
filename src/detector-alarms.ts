import { aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { DETECTOR_METRICS } from './contract/detector-metrics';
import { countAlarm } from './private/count-alarm';
import { describe } from './private/describe';
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
  /** Lines of runners could not be taken in. Each delivery is tried three times, then it is lost. */
  public readonly intakeFailed: cloudwatch.Alarm;

  /** The judge crashed. Its reports come back to it, for an hour. */
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

  /** SQS did not take reports. Lambda hands lines of runners over again; a webhook has to be redelivered at GitHub. */
  public readonly sendsFailed: cloudwatch.Alarm;

  private recorder?: cloudwatch.Alarm;
  private inputs?: cloudwatch.Alarm;
  private webhook?: cloudwatch.Alarm;

  constructor(scope: Construct, id: string, props: DetectorAlarmsProps) {
    super(scope, id);
    const { detector, actions = [] } = props;
    const alarm = (name: string, metric: cloudwatch.IMetric, what: string) =>
      countAlarm(this, name, { metric, description: describe(detector, what), actions });

    this.intakeFailed = alarm('IntakeFailed', detector.intakeFunction.metricErrors(), 'lines of runners could not be taken in, the log says why');
    this.judgeFailed = alarm('JudgeFailed', detector.judgeFunction.metricErrors(), 'the judge crashed, its log says why');
    this.gaveUp = alarm('GaveUp', detector.metricGaveUp(), 'a runner was robbed more often than it may be replaced: its job waits');
    this.capReached = alarm('CapReached', detector.metricCapReached(), 'more was stolen in an hour than may be replaced in it');
    this.reportExpired = alarm('ReportExpired', detector.metricReportExpired(), 'a report could not be judged within an hour');
    this.forged = alarm('Forged', detector.metric(DETECTOR_METRICS.forged), 'somebody writes reports that are not true, the log names the runner');
    this.credentialTrouble = alarm('CredentialTrouble', detector.metricCredentialTrouble(), 'an App or token cannot be used');
    this.sendsFailed = alarm('SendsFailed', detector.metric(DETECTOR_METRICS.sendsFailed), 'reports could not be queued, the log says why');

    detector._recorder.whenAdded((recorder) => {
      this.recorder = alarm('RecorderFailed', recorder.metricErrors(), 'jobs could not be recorded, the log says why: their pick-ups look like thefts');
      this.inputs = alarm('InputsMissing', detector.metric(DETECTOR_METRICS.inputsMissing),
        'inputs of executions are too large for their events: use attachRecorder, their pick-ups look like thefts');
    });
    // the function answers 500 instead of failing, and this counts time-outs and crashes as well
    detector._webhook.whenAdded((webhook) => {
      this.webhook = alarm('WebhookFailed', webhook.metric('Url5xxCount', { statistic: cloudwatch.Stats.SUM }),
        'webhooks could not be handled, the log says why: redeliver them at GitHub');
    });
  }

  /** Jobs could not be recorded, so that their pick-ups look like thefts. Undefined without `recordExecutions`. */
  public get recorderFailed(): cloudwatch.Alarm | undefined {
    return this.recorder;
  }

  /**
   * Status events came without the input of their execution, which EventBridge leaves out above 248 kB: their jobs are not recorded, and
   * `attachRecorder` is the way to record them. Undefined without `recordExecutions`.
   */
  public get inputsMissing(): cloudwatch.Alarm | undefined {
    return this.inputs;
  }

  /** Webhooks were answered with 500 or not at all; GitHub does not send them again by itself. Undefined without `addWebhook`. */
  public get webhookFailed(): cloudwatch.Alarm | undefined {
    return this.webhook;
  }
}
