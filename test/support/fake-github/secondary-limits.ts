import type { Answer } from './answer';
import { failure } from './answer';

/** @see https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits */
const POINTS_A_MINUTE = 900;
const CONCURRENT = 100;
const MINUTE_MS = 60_000;

/** The documented secondary limits, of one caller at one endpoint, over a sliding minute. */
export class SecondaryLimits {
  enabled = false;

  private readonly spent = new Map<string, Spending>();
  private readonly running = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  /** To be called before the request is served, and `leave` when it has been. */
  enter(caller: string): void {
    this.running.set(caller, (this.running.get(caller) ?? 0) + 1);
  }

  leave(caller: string): void {
    this.running.set(caller, (this.running.get(caller) ?? 1) - 1);
  }

  /** Whether this request breaks a limit; what it costs is taken off otherwise. */
  refuses(caller: string, method: string, endpoint: string): boolean {
    if (!this.enabled) return false;
    if ((this.running.get(caller) ?? 0) > CONCURRENT) return true;
    const key = `${caller} ${method} ${endpoint}`;
    const spending = this.spent.get(key) ?? new Spending();
    this.spent.set(key, spending);
    return !spending.spend(method === 'GET' ? 1 : 5, this.now());
  }
}

class Spending {
  private readonly entries: { readonly at: number; readonly points: number }[] = [];
  private total = 0;
  private oldest = 0;

  spend(points: number, now: number): boolean {
    for (; this.oldest < this.entries.length && this.entries[this.oldest].at <= now - MINUTE_MS; this.oldest++) {
      this.total -= this.entries[this.oldest].points;
    }
    if (this.total + points > POINTS_A_MINUTE) return false;
    this.entries.push({ at: now, points });
    this.total += points;
    return true;
  }
}

export function secondaryLimitHit(headers: Readonly<Record<string, string>> = {}, status = 403): Answer {
  return failure(status, 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.', headers);
}
