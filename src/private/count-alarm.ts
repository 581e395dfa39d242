import { aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

export interface CountAlarmProps {
  readonly metric: cloudwatch.IMetric;
  readonly description: string;
  readonly actions: readonly cloudwatch.IAlarmAction[];
  /** takes the place of the first occurrence in one period */
  readonly evaluation?: Partial<Pick<cloudwatch.AlarmProps, 'evaluationPeriods' | 'datapointsToAlarm' | 'comparisonOperator' | 'treatMissingData'>>;
}

/** An alarm on something that is counted. It goes off as soon as there is anything to count, unless the evaluation says otherwise. */
export function countAlarm(scope: Construct, id: string, { metric, description, actions, evaluation }: CountAlarmProps): cloudwatch.Alarm {
  const alarm = new cloudwatch.Alarm(scope, id, {
    alarmDescription: description,
    metric,
    threshold: 1,
    evaluationPeriods: 1,
    comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    // metrics are only emitted when there is something to count
    treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    ...evaluation,
  });
  alarm.addAlarmAction(...actions);
  return alarm;
}
