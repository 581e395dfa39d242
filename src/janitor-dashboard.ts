import { Duration, aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { RegistrationJanitor } from './registration-janitor';

/** Properties of `JanitorDashboard`. */
export interface JanitorDashboardProps {
  /** Whom to show. */
  readonly janitor: RegistrationJanitor;
}

/** One screen about a janitor: what it deletes, what keeps it from deleting, and what it decided about which runner, and why. */
export class JanitorDashboard extends Construct {
  /** The dashboard, to add widgets of your own. */
  public readonly dashboard: cloudwatch.Dashboard;

  constructor(scope: Construct, id: string, props: JanitorDashboardProps) {
    super(scope, id);
    const { janitor } = props;
    this.dashboard = new cloudwatch.Dashboard(this, 'Dashboard', { defaultInterval: Duration.days(7) });
    this.dashboard.addWidgets(
      graph('Candidates and deletions', [
        janitor.metricCandidates(), janitor.metricDeleted(), janitor.metricWouldDelete(), janitor.metricAlreadyGone(),
      ]),
      graph('What keeps it from deleting', [
        janitor.metricScopeViolations(), janitor.metricStuckBusy(), janitor.metricRefused(),
        janitor.metricUnknown(), janitor.metricCredentialTrouble(),
      ]),
      graph('Queues and failures', [
        janitor.confirmationQueue.metricApproximateNumberOfMessagesVisible({ label: 'waiting for the second look' }),
        janitor.deadLetterQueue.metricApproximateNumberOfMessagesVisible({ label: 'dead letters' }),
        janitor.discoveryFunction.metricErrors({ label: 'failed first looks' }),
        janitor.metricEndedEarly(),
      ]),
    );
    this.dashboard.addWidgets(
      table(janitor, 'Second looks: what was decided, and why', SECOND_LOOKS),
      table(janitor, 'Errors and warnings', TROUBLE),
    );
  }
}

/** Powertools writes one JSON object a line; every verdict of a second look carries its outcome. */
const SECOND_LOOKS = [
  'fields @timestamp, outcome, runner, reason',
  'filter ispresent(outcome)',
  'sort @timestamp desc',
  'limit 100',
];

const TROUBLE = [
  'fields @timestamp, level, message, runner, group, error',
  'filter level in ["WARN", "ERROR"]',
  'sort @timestamp desc',
  'limit 100',
];

function graph(title: string, left: cloudwatch.IMetric[]): cloudwatch.GraphWidget {
  return new cloudwatch.GraphWidget({ title, left, width: 8, height: 6, leftYAxis: { min: 0, showUnits: false } });
}

function table(janitor: RegistrationJanitor, title: string, queryLines: string[]): cloudwatch.LogQueryWidget {
  return new cloudwatch.LogQueryWidget({ title, queryLines, logGroupNames: [janitor.logGroup.logGroupName], width: 12, height: 10 });
}
