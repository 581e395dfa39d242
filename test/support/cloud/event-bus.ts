import type { DeclaredRule } from './declared';
import { matchesEventPattern } from './event-pattern';
import type { InvocationResult } from './function-process';
import { mayInvoke } from './invocation-permission';
import type { LocalFunction } from './local-function';
import type { Template } from './template';

export type BusEvent = Readonly<Record<string, unknown>>;

export interface EventBusOptions {
  readonly template: Template;
  readonly rules: readonly DeclaredRule[];
  readonly functionOf: (arn: string) => LocalFunction | undefined;
  readonly now: () => number;
}

/** EventBridge: the rules of the template and the functions that they invoke. */
export class EventBus {
  constructor(private readonly options: EventBusOptions) {}

  /** Fires every schedule once. */
  async runSchedules(): Promise<readonly InvocationResult[]> {
    const rules = this.options.rules.filter(({ schedule }) => schedule !== undefined);
    return this.fire(rules, (rule) => this.event('aws.events', 'Scheduled Event', {}, [rule.arn]));
  }

  /** Every rule whose pattern selects the event invokes its targets. */
  async put(source: string, detailType: string, detail: BusEvent): Promise<readonly InvocationResult[]> {
    const event = this.event(source, detailType, detail, []);
    return this.fire(this.options.rules.filter(({ pattern }) => pattern !== undefined && matchesEventPattern(pattern, event)), () => event);
  }

  private async fire(rules: readonly DeclaredRule[], event: (rule: DeclaredRule) => BusEvent): Promise<readonly InvocationResult[]> {
    const { functionOf, template } = this.options;
    return Promise.all(rules.flatMap((rule) => rule.targetArns.map((arn) => {
      const target = functionOf(arn);
      if (!target) throw new Error(`rule '${rule.logicalId}' targets '${arn}', which is not a function of the template`);
      if (!mayInvoke(template, { principal: 'events.amazonaws.com', functionArn: arn, sourceArn: rule.arn })) {
        throw new Error(`no permission lets rule '${rule.logicalId}' invoke '${arn}'`);
      }
      return target.invokeAsync(event(rule));
    })));
  }

  private event(source: string, detailType: string, detail: BusEvent, resources: readonly string[]): BusEvent {
    const { template: { place: { account, region } }, now } = this.options;
    const time = new Date(now()).toISOString();
    return { 'version': '0', 'id': time, source, 'detail-type': detailType, account, time, region, resources, detail };
  }
}
