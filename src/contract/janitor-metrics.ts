/**
 * Every metric the janitor emits, and what one unit of it means. Only non-zero values are emitted and the only dimension is
 * the construct's path: each custom metric costs money.
 */
export const METRIC_NAMESPACE = 'GithubRunnerJanitor';

export const DISCOVERY_METRICS = {
  candidates: 'Candidates',
  scopeViolations: 'ScopeViolations',
  stuckBusy: 'StuckBusy',
  pagesFailed: 'PagesFailed',
  groupsSkipped: 'GroupsSkipped',
  endedEarly: 'EndedEarly',
  sendsFailed: 'SendsFailed',
  lookupsUnknown: 'LookupsUnknown',
  credentialTrouble: 'CredentialTrouble',
  /** a first look without a failure: where this stays away, nothing gets cleaned */
  succeeded: 'FirstLooksSucceeded',
} as const;

/** One metric for each outcome of the second look. */
export const OUTCOME_METRICS = {
  deleted: 'Deleted',
  wouldDelete: 'WouldDelete',
  alreadyGone: 'AlreadyGone',
  becameBusy: 'BecameBusy',
  stuckBusy: 'StuckBusy',
  cameOnline: 'CameOnline',
  machinePresent: 'MachinePresent',
  moved: 'Moved',
  renamed: 'Renamed',
  protected: 'Protected',
  evidenceInsufficient: 'EvidenceInsufficient',
  outOfScope: 'OutOfScope',
  expired: 'Expired',
  malformed: 'Malformed',
  nominatedInDryRun: 'NominatedInDryRun',
  scopeSuspect: 'ScopeSuspect',
  refused: 'Refused',
  tooEarly: 'TooEarly',
  unknown: 'Unknown',
} as const;

export type Outcome = keyof typeof OUTCOME_METRICS;
