/** What stands on the confirmation queue. Public and versioned: other constructs may put nominations there. */

export const MESSAGE_VERSION = 1;

/** How a machine was found to be gone. */
export type Evidence = 'absent' | 'terminated';

/** Written by our own first look. */
export interface CandidateMessage {
  readonly version: typeof MESSAGE_VERSION;
  readonly kind: 'candidate';
  /** digest of everything that says which registrations and machines belong together; another digest is dropped */
  readonly scope: string;
  readonly runner: { readonly id: number; readonly name: string };
  /** key: the group's id, or `owner/name` of a repository; pages: how many it had, so that the second look can sample any of them */
  readonly group: { readonly key: string; readonly name: string; readonly pages: number };
  /** ISO 8601, UTC */
  readonly observedAt: string;
  readonly evidence: Evidence;
  /** a candidate of a dry run never leads to a DELETE, whatever the setting is when it is confirmed */
  readonly mode: 'armed' | 'dryRun';
}

/**
 * Written by anybody who holds `grantNominate`. It carries neither age nor evidence: SQS dates it, and a deletion
 * happens only if the second look itself sees the machine in a final state.
 */
export interface NominationMessage {
  readonly version: typeof MESSAGE_VERSION;
  readonly kind: 'nomination';
  readonly runnerName: string;
}
