import type { RecordedRequest, RequestFilter } from './request-log';
import { matches } from './request-log';

/**
 * What goes wrong.
 * - `cutBody`, `wrongTypes`, `resetAfter`, `{ headers }`: the request takes effect, its answer is damaged: half of the body, booleans and
 *   numbers as strings, no answer at all, other headers;
 * - `{ delayMs }` and functions come before an otherwise normal answer;
 * - all others stand in place of the answer, and the request has no effect.
 */
export type FaultEffect<S> =
  | 'cutBody' | 'wrongTypes' | 'resetAfter'
  | 'emptyBody' | 'html' | 'wrongShape' | 'hang' | 'reset'
  | 'permission403' | 'limit403' | 'limit429' | 'secondary403'
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly headers: Readonly<Record<string, string>> }
  | { readonly delayMs: number }
  | { readonly retryAfter: number; readonly status?: number }
  | ((github: S, request: RecordedRequest) => void);

export interface FaultMatch extends Omit<RequestFilter, 'status'> {
  /** how often it happens @default for ever */
  readonly times?: number;
  /** how many matching requests are spared first @default 0 */
  readonly skip?: number;
}

export interface FaultHandle {
  /** how often it has happened */
  readonly hits: number;
  clear(): void;
}

/** Faults in the order they were switched on; the first one that fits a request happens to it. */
export class Faults<S> {
  private readonly switched: Fault<S>[] = [];

  add(match: FaultMatch, effect: FaultEffect<S>): FaultHandle {
    const fault = new Fault(match, effect);
    this.switched.push(fault);
    return fault;
  }

  clear(): void {
    this.switched.length = 0;
  }

  take(request: RecordedRequest): FaultEffect<S> | undefined {
    return this.switched.find((fault) => fault.hitsNow(request))?.effect;
  }
}

class Fault<S> implements FaultHandle {
  hits = 0;

  private toSkip: number;
  private left: number;

  constructor(private readonly match: FaultMatch, readonly effect: FaultEffect<S>) {
    this.toSkip = match.skip ?? 0;
    this.left = match.times ?? Infinity;
  }

  clear(): void {
    this.left = 0;
  }

  hitsNow(request: RecordedRequest): boolean {
    if (this.left === 0 || !matches(request, this.match)) return false;
    if (this.toSkip > 0) {
      this.toSkip--;
      return false;
    }
    this.left--;
    this.hits++;
    return true;
  }
}
