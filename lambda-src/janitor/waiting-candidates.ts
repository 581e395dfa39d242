import type { CandidateMessage } from '../../src/contract/candidate-message';

/** Candidates that wait until the scope proof of their group is settled. Where there are too many, preferred ones take the places of others. */
export class WaitingCandidates {
  private readonly preferred: CandidateMessage[] = [];
  private readonly others: CandidateMessage[] = [];

  /** In the order in which they are to be queued. */
  get all(): readonly CandidateMessage[] {
    return [...this.preferred, ...this.others];
  }

  /** Returns false when one, this or another, found no place among so many. */
  add(candidate: CandidateMessage, isPreferred: boolean, places: number): boolean {
    const isFull = this.preferred.length + this.others.length >= places;
    if (isFull && (!isPreferred || !this.others.pop())) return false;
    (isPreferred ? this.preferred : this.others).push(candidate);
    return !isFull;
  }
}
