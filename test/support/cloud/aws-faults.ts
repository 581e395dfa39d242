import type { ServerResponse } from 'node:http';
import type { AwsAnswer } from './aws-service';

export interface FaultMatch {
  /** as in a signature: `ec2`, `sqs`, `secretsmanager` */
  readonly service?: string;
  /** without the service: `DescribeInstances` */
  readonly action?: string;
  readonly region?: string;
  /** name of the calling function */
  readonly principal?: string;
  /** how many calls it hits; all of them by default */
  readonly times?: number;
  /** how many calls it lets pass first */
  readonly skip?: number;
}

export interface FaultedCall {
  readonly service: string;
  readonly action: string;
  readonly region: string;
  readonly principal: string;
}

/**
 * `error`: refused in the service's own protocol. `hang`: accepted, never answered. `cutBody`: the connection breaks in the middle of
 * the right answer. A function: something that happens just before the answer.
 */
export type FaultEffect =
  | { readonly error: string; readonly status: number; readonly message?: string }
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  | 'hang' | 'reset' | 'cutBody' | 'emptyBody' | 'html'
  | ((call: FaultedCall) => void);

export interface FaultHandle {
  /** calls hit so far */
  readonly hits: number;
  clear(): void;
}

/** The faults that are switched on at present, in the order in which they were. */
export class AwsFaults {
  private readonly active = new Set<Fault>();

  add(match: FaultMatch, effect: FaultEffect): FaultHandle {
    const fault = new Fault(match, effect, () => this.active.delete(fault));
    this.active.add(fault);
    return fault;
  }

  /** The effect on this call, if any; counts the call. */
  take(call: FaultedCall): FaultEffect | undefined {
    for (const fault of this.active) {
      if (fault.take(call)) return fault.effect;
    }
    return undefined;
  }
}

class Fault implements FaultHandle {
  hits = 0;
  private seen = 0;

  constructor(private readonly match: FaultMatch, readonly effect: FaultEffect, readonly clear: () => void) {}

  take(call: FaultedCall): boolean {
    const { times = Infinity, skip = 0 } = this.match;
    const fits = (['service', 'action', 'region', 'principal'] as const).every((key) => this.match[key] === undefined || this.match[key] === call[key]);
    if (!fits || this.seen++ < skip || this.hits >= times) return false;
    this.hits++;
    return true;
  }
}

/** Writes an answer as a fault leaves it. `hang` writes nothing at all. */
export function writeFaulty(response: ServerResponse, effect: 'hang' | 'reset' | 'cutBody' | 'emptyBody' | 'html', answer: AwsAnswer): void {
  switch (effect) {
    case 'hang': return;
    case 'reset': response.destroy(); return;
    case 'emptyBody': response.writeHead(200, { 'content-type': answer.headers['content-type'] ?? '' }).end(); return;
    case 'html': response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Service is being maintained</body></html>'); return;
    case 'cutBody': {
      response.writeHead(answer.status, { ...answer.headers, 'content-length': String(Buffer.byteLength(answer.body)) });
      response.write(answer.body.slice(0, answer.body.length / 2), () => response.destroy());
    }
  }
}
