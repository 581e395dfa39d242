import type { Fault } from './fault';
import { canHappen, FAULTS } from './fault';
import type { Look, OutboundCall } from './outbound-call';
import { OUTBOUND_CALLS } from './outbound-call';

export const LOOKS: readonly Look[] = ['first', 'second'];

/** `once`: the first such call of the look. `throughout`: every such call until the look is over. */
export type Duration = 'once' | 'throughout';

export const DURATIONS: readonly Duration[] = ['once', 'throughout'];

/** One fault of one call in one look. */
export interface Cell {
  readonly call: OutboundCall;
  readonly fault: Fault;
  readonly look: Look;
  readonly duration: Duration;
}

/** Every combination but those that cannot be: a look that does not make the call, and a fault that cannot happen to it. */
export const CELLS: readonly Cell[] = OUTBOUND_CALLS.flatMap((call) => FAULTS.flatMap((fault) => LOOKS.flatMap((look) => DURATIONS.map((duration) => (
  { call, fault, look, duration }
))))).filter(({ call, fault, look }) => call.requests[look] > 0 && canHappen(fault, call));
