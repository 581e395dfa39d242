import type { Duration } from 'aws-cdk-lib';
import { Annotations, aws_events as events, aws_events_targets as targets, aws_iam as iam } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as logs from 'aws-cdk-lib/aws-logs';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ComputeConfig } from './contract/janitor-config';
import { CANDIDATE_SENDER_ENV, JANITOR_ENV, NOMINATION_ENV } from './contract/janitor-config';
import { DISCOVERY_METRICS, METRIC_NAMESPACE, OUTCOME_METRICS } from './contract/janitor-metrics';
import { CONFIRMATION, CONFIRMATION_CONCURRENCY, DISCOVERY } from './contract/limits';
import { Evidence } from './evidence';
import type { JanitorAlarmsOptions } from './janitor-alarms';
import { JanitorAlarms } from './janitor-alarms';
import { JanitorDashboard } from './janitor-dashboard';
import type { TerminationNominationOptions } from './nominate-on-termination';
import { nominateOnTermination } from './nominate-on-termination';
import { attachVariables } from './private/attach-variables';
import { confirmationQueues } from './private/confirmation-queue';
import { describe } from './private/describe';
import type { HandlerFunctionProps } from './private/handler-function';
import { handlerFunction, handlerLogGroup } from './private/handler-function';
import { janitorSettings } from './private/janitor-settings';
import { constructMetric } from './private/metric';
import { checkPlace } from './private/place';
import { grantPoll, grantSend } from './private/queue-grants';
import type { RegistrationJanitorProps } from './registration-janitor-props';

/**
 * Deletes the registrations of GitHub Actions runners whose machines are gone.
 *
 * Two looks, at least 15 minutes apart, decide each deletion. The first reads the registrations at GitHub on a schedule and puts those that
 * are offline, idle and without a machine on a queue. The second looks at everything afresh. Whatever is not certain is left alone.
 *
 * It starts as a dry run: `wouldDelete` in its log and metrics shows what `dryRun: false` would delete.
 *
 * @example
 * new RegistrationJanitor(this, 'Janitor', {
 *   runnerScope: RunnerScope.organization('acme'),
 *   computeProvider: ComputeProvider.ec2({ runnerNamePrefixes: ['gh-'], regions: ['eu-central-1'] }),
 *   credentials: GitHubCredentials.app(secretsmanager.Secret.fromSecretNameV2(this, 'App', 'github-app')),
 * });
 */
export class RegistrationJanitor extends Construct {
  /** Candidates wait here for the second look, for 15 minutes. FIFO. */
  public readonly confirmationQueue: sqs.IQueue;

  /** Candidates that could not be judged in five attempts, kept for 14 days. A later first look finds them again. FIFO. */
  public readonly deadLetterQueue: sqs.IQueue;

  /** Takes the first look. */
  public readonly discoveryFunction: lambda.Function;

  /** Takes the second look, and deletes. */
  public readonly confirmationFunction: lambda.Function;

  /** What both functions log to; every decision is in there with its reason. */
  public readonly logGroup: logs.ILogGroup;

  /** @internal */
  public readonly _evidence: Evidence;

  /** @internal */
  public readonly _interval: Duration;

  private readonly queue: sqs.Queue;
  private readonly compute: ComputeConfig;

  /**
   * @throws when a property is out of its range, when an App is to clean an enterprise, or when a secret is in another region
   */
  constructor(scope: Construct, id: string, props: RegistrationJanitorProps) {
    super(scope, id);

    const { interval, schedule, variables } = janitorSettings(this, props);
    const { confirmationQueue, deadLetterQueue } = confirmationQueues(this, props.queueEncryptionKey);
    this._interval = interval;
    this._evidence = props.evidence ?? Evidence.ABSENT;
    this.compute = props.computeProvider._binding.config;
    this.queue = confirmationQueue;
    this.confirmationQueue = confirmationQueue;
    this.deadLetterQueue = deadLetterQueue;
    this.logGroup = handlerLogGroup(this, props);

    const common = {
      variables: { ...variables, [JANITOR_ENV.queueUrl]: confirmationQueue.queueUrl },
      metricNamespace: METRIC_NAMESPACE,
      logGroup: this.logGroup,
      options: props,
    } satisfies Partial<HandlerFunctionProps>;

    this.discoveryFunction = handlerFunction(this, 'Discovery', {
      ...common,
      bundle: 'discovery',
      purpose: 'takes the first look: queues registrations that are offline, idle and without a machine',
      ...DISCOVERY,
      // the next run starts from GitHub's present list anyway
      retryAttempts: 0,
    });
    grantSend(confirmationQueue, this.discoveryFunction);

    this.confirmationFunction = handlerFunction(this, 'Confirmation', {
      ...common,
      bundle: 'confirmation',
      purpose: 'takes the second look: deletes registrations whose machines are still gone',
      ...CONFIRMATION,
      variables: { ...common.variables, [CANDIDATE_SENDER_ENV]: (this.discoveryFunction.role as iam.Role).roleId },
    });
    grantPoll(confirmationQueue, this.confirmationFunction);
    this.confirmationFunction.addEventSourceMapping('Candidates', {
      eventSourceArn: confirmationQueue.queueArn,
      batchSize: CONFIRMATION.batchSize,
      maxConcurrency: CONFIRMATION_CONCURRENCY,
      reportBatchItemFailures: true,
    });

    const roles = [this.discoveryFunction.role!, this.confirmationFunction.role!];
    roles.forEach((role) => props.credentials._grantRead(role));
    props.computeProvider._binding.warnings.forEach(({ reason, text }) => {
      Annotations.of(this).addWarningV2(`cdk-github-runner-janitor:RegistrationJanitor.${reason}`, text);
    });
    new iam.Policy(this, 'MachinesPolicy', { roles, statements: [...props.computeProvider._binding.statements] });

    new events.Rule(this, 'Schedule', {
      description: describe(this, 'starts the first look'),
      schedule,
      targets: [new targets.LambdaFunction(this.discoveryFunction, { retryAttempts: 0 })],
    });
  }

  /**
   * What a function needs to know in order to nominate: `RUNNER_NOMINATION_QUEUE_URL`.
   */
  public get environment(): { [name: string]: string } {
    return { [NOMINATION_ENV.queueUrl]: this.queue.queueUrl };
  }

  /**
   * Lets somebody put the names of runners on the queue whose machines they saw ending, so that those need not wait for the next first look.
   * A nomination alone deletes nothing: the second look has to see the machine in its final state itself.
   *
   * The permission is to write anything to the queue, and whatever is written counts as a nomination at most, also what looks like a
   * candidate: SQS names the role that sent a message, and only that of the first look is believed. Deleted is only a registration with one
   * of our names in a configured group, that is still offline, idle and unprotected, and whose machine the second look sees terminated. A
   * janitor in dry run stays one. Whoever holds the permission can make the second look ask EC2 and GitHub for nothing, so grant it to
   * functions you trust with that much.
   *
   * Changes permissions only, and is an error where no policy that can be changed would let the grantee in. The message is
   * `{"version":1,"kind":"nomination","runnerName":"..."}`, sent with the runner's name as message group id and `nomination#<runner name>` as
   * deduplication id.
   *
   * @throws when no policy that can be changed would let the grantee in, as for a function that was imported without its role
   */
  public grantNominate(grantee: iam.IGrantable): iam.Grant {
    return grantSend(this.queue, grantee);
  }

  /**
   * Gives a function the permission to nominate, and the `environment` for it. A function that was imported, or that stands in another
   * account or region, cannot be given variables from here: call `grantNominate`, and set the variables of `environment` on it yourself.
   *
   * A function nominates for one janitor: attached to a second one it would lose the variables of the first, which is an error.
   *
   * @throws when it is in another account or region, or already nominates for another janitor
   */
  public attachNominator(fn: lambda.Function): void {
    checkPlace(this, 'fn', 'a function', fn);
    attachVariables(this, fn, this.environment);
    this.grantNominate(fn);
  }

  /**
   * Nominates the runner of every EC2 instance with these tags that is ending, in the region of the stack: its registration is gone within
   * about 20 minutes, however long the interval is. Other regions are left to the schedule, unless their state-change events are forwarded
   * to this one. To be called once.
   *
   * @throws when called twice, or without a tag
   */
  public nominateOnTermination(options: TerminationNominationOptions): void {
    nominateOnTermination(this, this.discoveryFunction, this.compute, options);
  }

  /**
   * Alarms on everything that needs a person: looks that fail or stay away, a wrong configuration, missing permissions, candidates nobody could
   * judge.
   *
   * @throws when called twice
   */
  public createAlarms(options: JanitorAlarmsOptions = {}): JanitorAlarms {
    return new JanitorAlarms(this, 'Alarms', { ...options, janitor: this });
  }

  /**
   * A dashboard with what was deleted, what was not, and why.
   *
   * @throws when called twice
   */
  public createDashboard(): JanitorDashboard {
    return new JanitorDashboard(this, 'Overview', { janitor: this });
  }

  /**
   * Any metric of the janitor, by name. A sum over five minutes unless the options say otherwise; only non-zero values are emitted.
   *
   * There is one for each outcome of the second look (`Deleted`, `WouldDelete`, `AlreadyGone`, `MachinePresent`, `CameOnline` and so on) and
   * some of the first look (`Candidates`, `LookupsUnknown`, `PagesFailed` and so on). Any other name is an error that lists all of them.
   *
   * @throws when there is no such metric, with the names of all
   */
  public metric(metricName: string, options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return constructMetric(this, METRIC_NAMESPACE, METRIC_NAMES, metricName, options);
  }

  /** Registrations that a first look queued for the second. */
  public metricCandidates(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(DISCOVERY_METRICS.candidates, options);
  }

  /** Registrations that were deleted. */
  public metricDeleted(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(OUTCOME_METRICS.deleted, options);
  }

  /** Registrations that a dry run would have deleted. */
  public metricWouldDelete(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(OUTCOME_METRICS.wouldDelete, options);
  }

  /** Candidates that GitHub, or somebody else, had deleted before. */
  public metricAlreadyGone(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(OUTCOME_METRICS.alreadyGone, options);
  }

  /** Online runners with our names and without a machine: the configuration is wrong, and nothing is deleted until it is mended. */
  public metricScopeViolations(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(DISCOVERY_METRICS.scopeViolations, options);
  }

  /** Registrations without a machine that GitHub holds for busy, and therefore refuses to delete. */
  public metricStuckBusy(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(DISCOVERY_METRICS.stuckBusy, options);
  }

  /** Deletions that GitHub refused: the permission to write is missing. */
  public metricRefused(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(OUTCOME_METRICS.refused, options);
  }

  /** Second looks without a certain answer; they are repeated up to four times. */
  public metricUnknown(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(OUTCOME_METRICS.unknown, options);
  }

  /** Apps or tokens that could not be used. */
  public metricCredentialTrouble(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(DISCOVERY_METRICS.credentialTrouble, options);
  }

  /** First looks that ended before everything was read: no time left, no quota above the reserve, or a gap in a group without an online runner of ours. */
  public metricEndedEarly(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric(DISCOVERY_METRICS.endedEarly, options);
  }
}

const METRIC_NAMES: readonly string[] = [...new Set([...Object.values(DISCOVERY_METRICS), ...Object.values(OUTCOME_METRICS)])];
