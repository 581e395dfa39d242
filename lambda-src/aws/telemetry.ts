import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context } from 'aws-lambda';
import { withoutSecrets, withoutSecretText } from './without-secrets';
import type { Log } from '../janitor/ports';

/** What a function says about itself: structured log lines, and metrics in the log (EMF). */
export interface Telemetry {
  readonly log: Log;
  /** From now on every log line carries the ids of this invocation. */
  begin(context: Context): void;
  /** Emits the counts that are not zero, in one record. Keys are metric names of the contract. */
  count(counts: Readonly<Record<string, number>>): void;
}

/**
 * Service name and namespace come from `POWERTOOLS_SERVICE_NAME` and `POWERTOOLS_METRICS_NAMESPACE`. `service` is the only
 * dimension: every combination of a name and its dimensions is a metric that costs money.
 */
export function telemetry(): Telemetry {
  const logger = new Logger();
  const metrics = new Metrics();
  return {
    log: {
      info: (message, fields) => logger.info(withoutSecretText(message), clean(fields)),
      warn: (message, fields) => logger.warn(withoutSecretText(message), clean(fields)),
      error: (message, fields) => logger.error(withoutSecretText(message), clean(fields)),
    },
    begin: (context) => logger.addContext(context),
    count: (counts) => {
      for (const [name, value] of Object.entries(counts)) {
        if (value !== 0) metrics.addMetric(name, MetricUnit.Count, value);
      }
      // an empty record is answered with a warning of its own
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    },
  };
}

function clean(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return withoutSecrets(fields) as Record<string, unknown>;
}
