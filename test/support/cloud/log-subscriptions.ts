import { gzipSync } from 'node:zlib';
import type { InvocationResult } from './function-process';
import { mayInvoke } from './invocation-permission';
import type { LocalFunction } from './local-function';
import type { Resource, Template } from './template';

export interface LogSubscriptionsOptions {
  readonly template: Template;
  readonly functionOf: (arn: string) => LocalFunction | undefined;
  readonly now: () => number;
}

interface LogEvent {
  readonly id: string;
  readonly timestamp: number;
  readonly message: string;
}

/** CloudWatch Logs, as far as subscription filters go: lines that a filter selects are delivered to its function. */
export class LogSubscriptions {
  private readonly filters: readonly Resource[];
  private serial = 0;

  /** @throws when a function may not be invoked, as CloudWatch Logs does when a filter is created */
  constructor(private readonly options: LogSubscriptionsOptions) {
    this.filters = options.template.ofType('AWS::Logs::SubscriptionFilter');
    for (const filter of this.filters) this.target(filter);
  }

  /** What CloudWatch Logs sends to try a new filter out. */
  async control(): Promise<readonly InvocationResult[]> {
    return Promise.all(this.filters.map((filter) => this.deliver(filter, 'CONTROL_MESSAGE', ['CWL CONTROL MESSAGE: Checking health of destination Lambda function.'])));
  }

  /** Lines that were written to a log group, in one delivery. */
  async put(logGroup: string, lines: readonly string[]): Promise<readonly InvocationResult[]> {
    const interested = this.filters.filter(({ properties }) => properties.LogGroupName === logGroup);
    return Promise.all(interested.flatMap((filter) => {
      const selected = lines.filter((line) => line.includes(termOf(filter)));
      return selected.length === 0 ? [] : [this.deliver(filter, 'DATA_MESSAGE', selected)];
    }));
  }

  private async deliver(filter: Resource, messageType: string, lines: readonly string[]): Promise<InvocationResult> {
    const { template: { place: { account } }, now } = this.options;
    const content = {
      messageType,
      owner: messageType === 'CONTROL_MESSAGE' ? 'CloudwatchLogs' : account,
      logGroup: String(filter.properties.LogGroupName),
      logStream: 'local',
      subscriptionFilters: [filter.logicalId],
      logEvents: lines.map((message): LogEvent => ({ id: String(this.serial++), timestamp: now(), message })),
    };
    return this.target(filter).invokeAsync({ awslogs: { data: gzipSync(JSON.stringify(content)).toString('base64') } });
  }

  private target({ logicalId, properties }: Resource): LocalFunction {
    const { template, functionOf } = this.options;
    const { account, region } = template.place;
    const functionArn = String(properties.DestinationArn);
    const sourceArn = `arn:aws:logs:${region}:${account}:log-group:${String(properties.LogGroupName)}:*`;
    const target = functionOf(functionArn);
    if (!target) throw new Error(`filter '${logicalId}' goes to '${functionArn}', which is not a function of the template`);
    if (!mayInvoke(template, { principal: 'logs.amazonaws.com', functionArn, sourceArn })) {
      throw new Error(`no permission lets filter '${logicalId}' invoke '${functionArn}'`);
    }
    return target;
  }
}

/** The only pattern known here is a single quoted term, which selects lines that contain it. */
function termOf({ logicalId, properties }: Resource): string {
  const [, term] = /^"([^"]+)"$/.exec(String(properties.FilterPattern)) ?? [];
  if (term === undefined) throw new Error(`the local cloud does not know the pattern of filter '${logicalId}': ${String(properties.FilterPattern)}`);
  return term;
}
