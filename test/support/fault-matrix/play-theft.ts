import type { Duration } from './cell';
import type { Fault } from './fault';
import { HANG_SECONDS, inject } from './inject';
import type { TheftCall } from './theft-call';
import type { TheftStage } from './theft-stage';

export interface TheftCell {
  readonly call: TheftCall;
  readonly fault: Fault;
  readonly duration: Duration;
}

export interface TheftResult {
  /** what became of the report */
  readonly words: 'ok' | 'later' | 'dropped';
  /** what must not have happened; empty when all is well */
  readonly wrongs: readonly string[];
}

/** The delay of the queue, the wait for the record of a job, and the seconds that the work itself takes. */
const USUAL_SECONDS = [65, 125];

/** Tells a story while a call goes wrong, for as long as it would usually take to judge it, and then lets it be judged. */
export async function playTheft(matrix: TheftStage, { call, fault, duration }: TheftCell): Promise<TheftResult> {
  const { stage, time, judge } = matrix;
  const runner = await matrix.begin();
  if (call.remembered) await judge.kill();
  judge.results.length = 0;
  const handle = inject({ call, fault, ...(duration === 'once' && { times: 1 }) }, matrix);
  const hanging = (work: () => Promise<unknown>) => time.whileHanging(() => fault.name === 'hang' ? handle.hits : 0, HANG_SECONDS, work());
  await hanging(() => matrix.tell(call.story));
  for (const seconds of USUAL_SECONDS) {
    await stage.clock.advance(seconds);
    await hanging(() => stage.cloud.settle());
  }
  await time.settle();
  handle.clear();
  const inTime = matrix.startedAfter(runner).length;
  const isOpen = (await stage.reports()).length > 0;
  await stage.judgeAll();

  const started = matrix.startedAfter(runner);
  const isTheft = call.story === 'stolen' || call.story === 'stolenElsewhere';
  const expected = isTheft ? [`${runner}-r1`] : [];
  const dropped = isTheft && started.length === 0;
  const wrongs = started.filter((name) => !expected.includes(name)).map((name) => `started by mistake: ${name}`);
  if (started.length > expected.length) wrongs.push(`started ${started.length} times: ${started.join(', ')}`);
  if (handle.hits === 0) wrongs.push(`nobody has tried to ${call.name}`);
  if (judge.results.some(({ kind }) => kind !== 'returned')) wrongs.push('the judge failed its invocation');
  wrongs.push(...stage.cloud.proxy.refused.splice(0).map((host) => `a function tried to reach ${host}`));
  return { words: dropped ? 'dropped' : isOpen || inTime < started.length ? 'later' : 'ok', wrongs };
}
