import { DURATIONS } from './cell';
import { FAULTS } from './fault';
import type { TheftCell, TheftResult } from './play-theft';
import { THEFT_CALLS, type Story } from './theft-call';

const INTRODUCTION = `# Fault matrix of the detector

What becomes of a report when a call of the \`StolenRunnerDetector\` fails. This file is written by \`test/fault-matrix-detector.test.ts\`, which
plays every cell with the bundled handlers and the synthesised template against a fake GitHub and a local cloud, and fails when this file says
anything else. \`npx projen test -u test/fault-matrix-detector.test.ts\` writes it anew; review the difference like code.

Each cell is one runner and one line in its log. The first line of a cell is for a fault that hits the first such call, the second line for one that
hits every such call for three minutes: so long does it usually take until a theft is replaced. Only one answer at a time is slow.

| in a cell | means |
| --- | --- |
| ok | judged within the usual time |
| later | the report went back to the queue, and was judged rightly when the fault was over |
| dropped | the theft is not replaced: the report did not get onto the queue, or GitHub or the table denied something that exists |

In all cells: a stolen runner was replaced at most once, nobody else ever, the judge did not fail its invocation, and nothing was sent to another
host than GitHub's. An empty cell stands for a fault that the answer has no place for. The secret, the installation and the token are asked for
by a judge that has just been started; a warm one remembers them.
`;

const TITLES: Readonly<Record<Story, string>> = {
  stolen: 'Stolen by a repository that our App can see',
  stolenElsewhere: 'Stolen by a repository where our App is not installed',
  swapped: 'Not stolen: two runners have swapped their jobs',
  slandered: 'Not stolen: an idle runner whose name somebody else has printed',
};

/** The whole of docs/fault-matrix-detector.md. */
export function theftDocument(results: ReadonlyMap<TheftCell, TheftResult>): string {
  const tables = (Object.keys(TITLES) as Story[]).flatMap((story) => (['GitHub', 'AWS'] as const).flatMap((api) => {
    const calls = THEFT_CALLS.filter((call) => call.story === story && call.target.api === api);
    return calls.length === 0 ? [] : [`## ${TITLES[story]}: calls to ${api}\n\n${table(calls, results)}`];
  }));
  return [INTRODUCTION, ...tables].join('\n');
}

function table(calls: readonly TheftCell['call'][], results: ReadonlyMap<TheftCell, TheftResult>): string {
  const words = (call: TheftCell['call'], fault: string) => DURATIONS
    .flatMap((duration) => [...results].filter(([cell]) => cell.call === call && cell.fault.name === fault && cell.duration === duration))
    .map(([, result]) => result.words).join('<br>');
  const faults = FAULTS.map(({ name }) => name).filter((fault) => calls.some((call) => words(call, fault) !== ''));
  const lines = [['call', ...faults], ['---', ...faults.map(() => '---')], ...calls.map((call) => [call.name, ...faults.map((fault) => words(call, fault))])];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
