import { Token, aws_cloudwatch as cloudwatch } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { invalid, shown } from './validate';

/** A metric that a construct's functions emit: the only dimension is the construct's path, which Powertools calls the service. */
export function constructMetric(
  scope: Construct,
  namespace: string,
  names: readonly string[],
  metricName: string,
  options?: cloudwatch.MetricOptions,
): cloudwatch.Metric {
  if (!Token.isUnresolved(metricName) && !names.includes(metricName)) throw invalid('metricName', `one of ${names.join(', ')}`, shown(metricName));
  return new cloudwatch.Metric({
    namespace,
    metricName,
    dimensionsMap: { service: scope.node.path },
    statistic: cloudwatch.Stats.SUM,
    ...options,
  }).attachTo(scope);
}
