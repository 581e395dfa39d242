import { Annotations, aws_lambda as lambda } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as logs from 'aws-cdk-lib/aws-logs';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { DETECTOR_ENV, TRACKER_ENV } from './contract/detector-config';
import { INTAKE, JUDGE } from './contract/detector-limits';
import { DETECTOR_METRICS } from './contract/detector-metrics';
import { METRIC_NAMESPACE } from './contract/janitor-metrics';
import { LEDGER_TTL_SECONDS } from './contract/ledger-items';
import type { DetectorAlarmsOptions } from './detector-alarms';
import { DetectorAlarms } from './detector-alarms';
import { attachVariables } from './private/attach-variables';
import { executionRecorder, webhookFunction } from './private/detector-functions';
import { detectorSettings } from './private/detector-settings';
import type { HandlerFunctionProps } from './private/handler-function';
import { handlerFunction, handlerLogGroup } from './private/handler-function';
import { LateAddition } from './private/late-addition';
import { LogDeliveries } from './private/log-deliveries';
import { constructMetric } from './private/metric';
import { checkPlace } from './private/place';
import { grantPoll, grantSend } from './private/queue-grants';
import { grantReadSource, secretSource } from './private/readable-source';
import { ledgerTable, reportQueue } from './private/report-store';
import { grantTable } from './private/table-grants';
import type { RunnerReplacementBinding } from './runner-replacement';
import type { DetectorWebhookOptions, StolenRunnerDetectorProps } from './stolen-runner-detector-props';

/**
 * Replaces GitHub Actions runners that were robbed: started for one job, they were handed another that nobody started a runner for.
 *
 * GitHub gives a queued job to any runner whose labels fit. When a repository without runners of its own takes one, the job it was started
 * for waits for hours. The detector is told which runner was started for which job, and which runner picked up which job. It asks Step
 * Functions and GitHub whether that is so, and starts one runner for each that was stolen. Jobs that merely swapped their runners cost nothing.
 *
 * It needs two sources: somebody who records jobs (`attachRecorder` or `recordExecutions`), and somebody who reports pick-ups
 * (`runnerLogGroups`, `attachReporter` or `addWebhook`).
 *
 * @example
 * declare const orchestrator: stepfunctions.StateMachine;
 * declare const runnerLogs: logs.LogGroup;
 *
 * const detector = new StolenRunnerDetector(this, 'Detector', {
 *   replacement: RunnerReplacement.stateMachine(orchestrator),
 *   credentials: GitHubCredentials.app(secretsmanager.Secret.fromSecretNameV2(this, 'App', 'github-app')),
 *   runnerLogGroups: [runnerLogs],
 * });
 * detector.recordExecutions();
 */
export class StolenRunnerDetector extends Construct {
  /** Which runners were started for which job, and what they picked up. Rows live for three days. */
  public readonly table: dynamodb.ITableV2;

  /** Pick-ups wait here for a minute, so that their jobs can be recorded first. FIFO. */
  public readonly reportQueue: sqs.IQueue;

  /** Reads the lines of runner log groups, and can do nothing but queue what they report. */
  public readonly intakeFunction: lambda.Function;

  /** Judges reports, and starts replacements. */
  public readonly judgeFunction: lambda.Function;

  /** What all functions log to; every verdict is in there with its reason. */
  public readonly logGroup: logs.ILogGroup;

  /** @internal */
  public readonly _webhook = new LateAddition<lambda.Function>();

  /** @internal */
  public readonly _recorder = new LateAddition<lambda.Function>();

  private readonly rows: dynamodb.TableV2;
  private readonly queue: sqs.Queue;
  private readonly common: Pick<HandlerFunctionProps, 'metricNamespace' | 'logGroup' | 'options'>;
  private readonly deliveries: LogDeliveries;
  private readonly replacement: RunnerReplacementBinding;
  private isRecordedTo = false;
  private isReportedTo = false;

  /**
   * @throws when a property is out of its range, or when a log group or the state machine is in another account or region
   */
  constructor(scope: Construct, id: string, props: StolenRunnerDetectorProps) {
    super(scope, id);

    const settings = detectorSettings(this, props);
    this.replacement = props.replacement._bind(this);
    this.rows = ledgerTable(this, props.removalPolicy);
    this.queue = reportQueue(this, props.queueEncryptionKey);
    this.table = this.rows;
    this.reportQueue = this.queue;
    this.logGroup = handlerLogGroup(this, props);
    this.common = { metricNamespace: METRIC_NAMESPACE, logGroup: this.logGroup, options: props };

    this.intakeFunction = handlerFunction(this, 'Intake', {
      ...this.common,
      ...INTAKE,
      bundle: 'intake',
      purpose: 'takes in what runners log: queues reports of the jobs they picked up',
      variables: this.queueVariable,
    });
    grantSend(this.queue, this.intakeFunction);

    this.judgeFunction = handlerFunction(this, 'Judge', {
      ...this.common,
      ...JUDGE,
      bundle: 'judge',
      purpose: 'judges reports: finds out which runners were stolen, and replaces them',
      variables: { ...settings, ...this.environment, [DETECTOR_ENV.stateMachineArn]: this.replacement.stateMachineArn },
    });
    grantPoll(this.queue, this.judgeFunction);
    grantTable(this.rows, this.judgeFunction, 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    this.replacement.statements({ mayStart: !props.observeOnly }).forEach((statement) => this.judgeFunction.addToRolePolicy(statement));
    props.credentials._grantRead(this.judgeFunction.role!);
    this.judgeFunction.addEventSourceMapping('Reports', {
      eventSourceArn: this.queue.queueArn,
      batchSize: JUDGE.batchSize,
      maxConcurrency: JUDGE.maxConcurrency,
      reportBatchItemFailures: true,
    });

    this.deliveries = new LogDeliveries(this, this.intakeFunction, this.logGroup);
    (props.runnerLogGroups ?? []).forEach((logGroup, index) => this.deliveries.watch(`runnerLogGroups[${index}]`, logGroup));
    // what is attached is known only when the whole app has been written down
    this.node.addValidation({ validate: () => this.warnIfUnattached() });
  }

  /**
   * What a function needs to know that records jobs and reports pick-ups: `RUNNER_TRACKER_TABLE`, `RUNNER_TRACKER_TTL_SECONDS` and
   * `JOB_ASSIGNMENT_QUEUE_URL`.
   */
  public get environment(): { [name: string]: string } {
    return { ...this.tableVariables, ...this.queueVariable };
  }

  /** What checks and queues webhooks. Undefined before `addWebhook`. */
  public get webhookFunction(): lambda.Function | undefined {
    return this._webhook.value;
  }

  /** What records jobs from the events of the state machine. Undefined before `recordExecutions`. */
  public get recorderFunction(): lambda.Function | undefined {
    return this._recorder.value;
  }

  /**
   * Lets somebody record which runner was started for which job: `dynamodb:UpdateItem` on the table. Whoever starts runners does that before
   * the runner starts, under the key `job#<job id>`, with `ADD runners :name, labels :labels SET #ttl = :ttl`.
   *
   * Changes permissions only. From another account, the table is addressed by its ARN.
   *
   * @throws when no policy that can be changed would let the grantee in, as for a function that was imported without its role, and for services
   */
  public grantRecordRunners(grantee: iam.IGrantable): iam.Grant {
    this.isRecordedTo = true;
    return grantTable(this.rows, grantee, 'dynamodb:UpdateItem');
  }

  /**
   * Lets somebody report which runner picked up which job, as a webhook function learns it from `in_progress`. Signed reports are
   * believed to come from GitHub, so their sender must check signatures.
   *
   * Changes permissions only. The message is `{"version":1,"source":"signed","runnerName":"...","repository":"owner/name","jobId":1}`, sent
   * with the runner's name as message group id and `<runner name>#signed` as deduplication id.
   *
   * @throws when no policy that can be changed would let the grantee in, as for a function that was imported without its role
   */
  public grantReportAssignments(grantee: iam.IGrantable): iam.Grant {
    this.isReportedTo = true;
    return grantSend(this.queue, grantee);
  }

  /**
   * Gives a function the permission to record jobs, and the variables for it.
   *
   * @throws when it is in another account or region, or already records for another detector, whose variables would be lost
   */
  public attachRecorder(fn: lambda.Function): void {
    checkPlace(this, 'fn', 'a function', fn);
    attachVariables(this, fn, this.tableVariables);
    this.grantRecordRunners(fn);
  }

  /**
   * Gives a function the permission to report pick-ups, and the variable for it.
   *
   * @throws when it is in another account or region, or already reports to another detector, whose variable would be lost
   */
  public attachReporter(fn: lambda.Function): void {
    checkPlace(this, 'fn', 'a function', fn);
    attachVariables(this, fn, this.queueVariable);
    this.grantReportAssignments(fn);
  }

  /**
   * Takes reports from one more log group of runners. The same one twice is fine.
   *
   * @throws when it is the detector's own log group, or in another account or region
   */
  public watchLogGroup(logGroup: logs.ILogGroup): void {
    this.deliveries.watch('logGroup', logGroup);
  }

  /**
   * Records jobs from the events of the state machine, with no code in whatever starts runners. EventBridge delivers these events only as
   * best it can; a report whose job is not recorded is therefore held back for two minutes before it is judged.
   *
   * @throws when called twice
   */
  public recordExecutions(): void {
    const recorder = executionRecorder(this, { ...this.common, variables: this.tableVariables }, this.replacement.unqualifiedArn);
    this.grantRecordRunners(recorder);
    this.judgeFunction.addEnvironment(DETECTOR_ENV.recordsExecutions, 'true');
    this._recorder.add(recorder);
  }

  /**
   * Takes reports from a webhook of an organization or repository: event *Workflow jobs*, content type JSON, payload URL as returned. A GitHub
   * App has only one webhook URL, which is usually taken; then use `attachReporter`. It records nothing.
   *
   * The URL needs no login, because GitHub has none: what is not signed with the secret is refused.
   *
   * @throws when called twice
   */
  public addWebhook(options: DetectorWebhookOptions): lambda.FunctionUrl {
    const secret = secretSource(DETECTOR_ENV.webhookSecret, options.secret);
    const webhook = webhookFunction(this, { ...this.common, variables: { ...this.queueVariable, [secret.variable]: secret.value } });
    this.grantReportAssignments(webhook);
    grantReadSource(secret, webhook.role!);
    this._webhook.add(webhook);
    return webhook.addFunctionUrl({ authType: lambda.FunctionUrlAuthType.NONE });
  }

  /**
   * Alarms on everything that needs a person: a thief who outruns the replacements, reports nobody could judge, failing functions. Those of
   * `recordExecutions` and `addWebhook` are among them, whichever is called first.
   *
   * @throws when called twice
   */
  public createAlarms(options: DetectorAlarmsOptions = {}): DetectorAlarms {
    return new DetectorAlarms(this, 'Alarms', { ...options, detector: this });
  }

  /**
   * Any metric of the detector, by name. A sum over five minutes unless the options say otherwise; only non-zero values are emitted.
   *
   * @throws when there is no such metric
   */
  public metric(metricName: string, options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return constructMetric(this, METRIC_NAMESPACE, Object.values(DETECTOR_METRICS), metricName, options);
  }

  /** Runners that ran a job nobody had started a runner for. */
  public metricStolenByOutsider(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(DETECTOR_METRICS.stolenByOutsider, options);
  }

  /** Replacements that were started. */
  public metricReplaced(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(DETECTOR_METRICS.replaced, options);
  }

  /** Robbed runners that had been replaced `maxReplacements` times already. */
  public metricGaveUp(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(DETECTOR_METRICS.gaveUp, options);
  }

  /** Robbed runners that were not replaced at once, because `maxReplacementsPerHour` was reached. */
  public metricCapReached(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(DETECTOR_METRICS.capReached, options);
  }

  /** Reports that nobody could judge within the hour that the queue keeps them. */
  public metricReportExpired(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(DETECTOR_METRICS.reportExpired, options);
  }

  /** Apps or tokens that could not be used. */
  public metricCredentialTrouble(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(DETECTOR_METRICS.credentialTrouble, options);
  }

  private get tableVariables(): Record<string, string> {
    return { [TRACKER_ENV.table]: this.rows.tableName, [TRACKER_ENV.ttlSeconds]: String(LEDGER_TTL_SECONDS) };
  }

  private get queueVariable(): Record<string, string> {
    return { [TRACKER_ENV.queueUrl]: this.queue.queueUrl };
  }

  /** No errors: somebody outside of this app may do it. */
  private warnIfUnattached(): string[] {
    // on a part of the detector: CDK looks for the acknowledgement of a late warning above its construct only
    const warn = (reason: string, text: string) => Annotations.of(this.judgeFunction).addWarningV2(`cdk-github-runner-janitor:StolenRunnerDetector.${reason}`, text);
    if (!this.isRecordedTo) {
      warn('nothingRecords', 'nobody records which runner was started for which job, so that every swap looks like a theft: attach a recorder, or call recordExecutions()');
    }
    if (!this.isReportedTo && !this.deliveries.areWatched) {
      warn('nothingReports', 'nobody reports what runners pick up, so that there is nothing to judge: give runnerLogGroups, attach a reporter, or call addWebhook()');
    }
    return [];
  }
}
