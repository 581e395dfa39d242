import type { Verdict } from './verdict';
import type { Outcome } from '../../src/contract/janitor-metrics';
import { OUTCOME_METRICS } from '../../src/contract/janitor-metrics';

/** What one batch of second looks did, counted. */
export class ConfirmationReport {
  readonly outcomes: Partial<Record<Outcome, number>> = {};

  count(verdict: Verdict): void {
    // a verdict to delete is never final: the answer to the DELETE is counted in its place
    if (verdict.action === 'delete') return;
    this.outcomes[verdict.outcome] = (this.outcomes[verdict.outcome] ?? 0) + 1;
  }

  /** Every DELETE of the batch was refused: that is a missing permission, not a special registration. */
  get allRefused(): boolean {
    const { refused = 0, deleted = 0, alreadyGone = 0, becameBusy = 0 } = this.outcomes;
    return refused > 0 && deleted + alreadyGone + becameBusy === 0;
  }

  metrics(): Record<string, number> {
    return Object.fromEntries(Object.entries(this.outcomes).map(([outcome, count]) => [OUTCOME_METRICS[outcome as Outcome], count]));
  }
}
