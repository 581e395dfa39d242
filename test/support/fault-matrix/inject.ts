import type { Fault } from './fault';
import type { OutboundCall } from './outbound-call';
import type { PassingTime } from './passing-time';
import type { LocalCloud } from '../cloud/local-cloud';
import type { FakeGitHub } from '../fake-github/fake-github';

/**
 * A slow answer comes well within the ten seconds that one request may take, but each one costs the invocation as much. The clock is one
 * for all: requests of two functions that run at the same time must fit into those ten seconds together.
 */
export const SLOW_SECONDS = 3;

/** What a request that is never answered costs: the functions give up after ten seconds. */
export const HANG_SECONDS = 10.5;

export interface Injection {
  readonly fault: Fault;
  readonly call: Pick<OutboundCall, 'target'>;
  /** @default for ever */
  readonly times?: number;
  /** how many such calls are spared first @default 0 */
  readonly skip?: number;
}

export interface FaultyStage {
  readonly stage: { readonly github: FakeGitHub; readonly cloud: LocalCloud };
  readonly time: PassingTime;
}

/** Switches the fault on. */
export function inject({ fault, call: { target }, times = Infinity, skip = 0 }: Injection, { stage, time }: FaultyStage) {
  const slowly = () => time.pass(SLOW_SECONDS);
  if (target.api === 'GitHub') {
    const effect = fault.onGitHub!(target)!;
    return stage.github.fault({ method: target.method, path: target.path, times, skip }, effect === 'slow' ? slowly : effect);
  }
  const effect = fault.onAws!(target)!;
  const { service, action, region } = target;
  const match = { service, action, times, skip, ...(region !== undefined && { region }) };
  return stage.cloud.gateway.fault(match, effect === 'slow' ? slowly : effect);
}
