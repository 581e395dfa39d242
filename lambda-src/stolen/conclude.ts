import type { Judgement } from './judge';
import type { Ledger, Log } from './ports';
import type { Replacement, ReplacePorts } from './replace';
import { replace } from './replace';
import type { Verdict } from './verdict';
import type { DetectorCounts } from '../../src/contract/detector-metrics';
import type { Clock } from '../shared/deadline';
import { describeError } from '../shared/errors';

export interface ConcludePorts extends ReplacePorts {
  readonly ledger: ReplacePorts['ledger'] & Pick<Ledger, 'announce'>;
  readonly log: Log;
  readonly now: Clock;
}

/** What becomes of one report. */
export interface Conclusion {
  readonly counts: DetectorCounts;
  /** undefined: the report is done with. Otherwise it has to come back, after so many seconds, or whenever the queue shows it again. */
  readonly comesBack?: { readonly seconds: number | undefined };
}

type Stolen = Extract<Verdict, { kind: 'stolen' }>;

const HOUR_SECONDS = 60 * 60;

const STOLEN_COUNTS = { outsider: { stolenByOutsider: 1 }, debt: { stolenByDebt: 1 }, labels: { stolenByLabels: 1 } } as const;

/** Acts on a judgement: replaces what was stolen, and says everything once. Never throws. */
export async function conclude(runnerName: string, judgement: Judgement, ports: ConcludePorts): Promise<Conclusion> {
  if (judgement.kind === 'undecided') return undecided(runnerName, judgement.error, ports.log);
  const { verdict, runner } = judgement;
  if (verdict.kind !== 'stolen' || !runner) return withoutTheft(runnerName, verdict, ports.log);
  try {
    const replacement = await replace(runner, ports);
    return await announce(runnerName, verdict, runner.own.id, replacement, ports);
  } catch (error) {
    return undecided(runnerName, error, ports.log);
  }
}

async function announce(runnerName: string, verdict: Stolen, ownJob: number, replacement: Replacement, ports: ConcludePorts): Promise<Conclusion> {
  const { log, ledger } = ports;
  const counts = STOLEN_COUNTS[verdict.reason];
  const fields = { verdict: 'stolen', reason: verdict.reason, runner: runnerName, startedForJob: ownJob, thief: verdict.thief, replacement };
  switch (replacement.kind) {
    case 'replaced':
    case 'alreadyReplaced':
      // not the start tells the first report from its copies: the answer to it can be lost
      if (!await ledger.announce(runnerName)) return { counts: {} };
      log.warn('a runner was stolen and has been replaced', fields);
      return { counts: { ...counts, replaced: 1 } };
    case 'capReached':
      log.error('a runner was stolen and is not replaced yet: the hourly cap is reached', fields);
      return { counts: { capReached: 1 }, comesBack: { seconds: secondsToNextHour(ports.now()) } };
    case 'observed':
      if (!await ledger.announce(runnerName)) return { counts: {} };
      log.warn('a runner was stolen; replacements are turned off', fields);
      return { counts };
    case 'gaveUp':
      if (!await ledger.announce(runnerName)) return { counts: {} };
      log.error('a runner was stolen after all its replacements; its job has to wait for another one', fields);
      return { counts: { ...counts, gaveUp: 1 } };
  }
}

/** The cap is one of the clock's hour, so no earlier look can succeed; a second more, because clocks differ. */
function secondsToNextHour(now: number): number {
  return HOUR_SECONDS - Math.floor(now / 1000) % HOUR_SECONDS + 1;
}

function withoutTheft(runnerName: string, verdict: Verdict, log: Log): Conclusion {
  const fields = { verdict: verdict.kind, reason: 'reason' in verdict ? verdict.reason : undefined, runner: runnerName };
  if (verdict.kind === 'wait') {
    log.info('a report has to be looked at again', { ...fields, seconds: verdict.seconds });
    return { counts: {}, comesBack: { seconds: verdict.seconds } };
  }
  log.info('a report needs nothing done', fields);
  if (verdict.kind !== 'ignored') return { counts: {} };
  switch (verdict.reason) {
    case 'forged': return { counts: { forged: 1 } };
    case 'unverifiable': return { counts: { unverifiable: 1 } };
    case 'neverListed': return { counts: { neverListed: 1 } };
    // the usual noise of shared log groups and warm pools
    case 'notOurs':
    case 'startedForNobody':
    case 'outdated':
    case 'concluded': return { counts: {} };
  }
}

function undecided(runnerName: string, error: unknown, log: Log): Conclusion {
  log.warn('a report could not be judged and comes back', { runner: runnerName, error: describeError(error) });
  return { counts: { returned: 1 }, comesBack: { seconds: undefined } };
}
