import { aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

export interface FirstOccurrenceAlarmProps {
  readonly metric: cloudwatch.IMetric;
  readonly description: string;
  readonly actions: readonly cloudwatch.IAlarmAction[];
}

/** An alarm that goes off as soon as there is anything to count. */
export function firstOccurrenceAlarm(scope: Construct, id: string, { metric, description, actions }: FirstOccurrenceAlarmProps): cloudwatch.Alarm {
  const alarm = new cloudwatch.Alarm(scope, id, {
    alarmDescription: description,
    metric,
    threshold: 1,
    evaluationPeriods: 1,
    comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    // metrics are only emitted when there is something to count
    treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
  });
  alarm.addAlarmAction(...actions);
  return alarm;
}
