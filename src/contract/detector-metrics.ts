/** Every metric the detector emits; only non-zero values, and the only dimension is the construct's path. */
export const DETECTOR_METRICS = {
  /** runners that ran a job nobody started a runner for */
  stolenByOutsider: 'StolenByOutsider',
  /** runners that ran a recorded job whose own runners had all died unused */
  stolenByDebt: 'StolenByDebt',
  /** runners that ran a recorded job whose own runners cannot serve in their place */
  stolenByLabels: 'StolenByLabels',
  replaced: 'Replaced',
  gaveUp: 'GaveUp',
  capReached: 'CapReached',
  forged: 'ForgedReports',
  /** 404 with a token: nobody can tell a foreign repository from one that does not exist */
  unverifiable: 'UnverifiableReports',
  neverListed: 'JobsNeverListed',
  malformed: 'MalformedReports',
  /** returned to the queue because something could not be asked */
  returned: 'ReportsReturned',
  /** returned for the last time: the queue drops it before it is seen again */
  reportExpired: 'ReportExpired',
  sendsFailed: 'SendsFailed',
  badSignatures: 'BadSignatures',
  inputsMissing: 'ExecutionInputsMissing',
  credentialTrouble: 'CredentialTrouble',
} as const;

export type DetectorCounts = Partial<Record<keyof typeof DETECTOR_METRICS, number>>;
