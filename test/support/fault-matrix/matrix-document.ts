import type { Cell, Duration } from './cell';
import { CELLS, DURATIONS, LOOKS } from './cell';
import { FAULTS } from './fault';
import type { Look, OutboundCall } from './outbound-call';
import { OUTBOUND_CALLS } from './outbound-call';

const INTRODUCTION = `# Fault matrix

What becomes of ghosts when a call of the janitor fails. This file is written by \`test/fault-matrix.test.ts\`, which plays every cell with
the bundled handlers and the synthesised template against a fake GitHub and a local cloud, and fails when this file says anything else.
\`npx projen test -u test/fault-matrix.test.ts\` writes it anew; review the difference like code.

Each cell is a run of both looks at two groups with six living runners and five ghosts. One of the living is online, one busy, one offline for GitHub
although its machine runs, one stopped; and two are candidates at the first look only: the machine of one could not be seen yet, and the other is online
again. No region knows the machines of two ghosts, two machines are seen terminated, and the fifth ghost appears between the looks and is only nominated.
The first line of a cell is for a fault that hits the first such call of the look, the second line for one that hits every such call until the look is over.

| in a cell | means |
| --- | --- |
| ok | all five were deleted in this very run |
| *n* retried | *n* were kept; their messages went back to the queue |
| *n* found again | *n* were kept; no message of them was left, and the next first look queued them again |
| 2 runs | it took two further runs without the fault, not one |
| loud | the first look failed its invocation, after everything else was done |

In all ${CELLS.length} cells: nothing but ghosts was deleted, each kept ghost was on the queue again after the next first look, none was left after at most two
further runs, nothing ended in the dead-letter queue, no look took longer than its function's timeout, and nothing was sent to another host than GitHub's.

An empty cell stands for something that cannot be: a look that does not make the call, or a fault that the answer has no place for.
\`answer lost\` and \`cut body\` damage the answer to a request that has taken effect, and so do \`hang\`, \`connection reset\`, \`empty 200\` and \`HTML 200\` of AWS.
The secret is read, and the installation looked up, by a function that has just been started; a warm one remembers both. A candidate is
postponed only when it is delivered too early: for that row alone, the queue's delay was shortened by two minutes.
`;

const TITLES: Readonly<Record<Look, string>> = { first: 'First look', second: 'Second look' };

/** The whole of docs/fault-matrix.md. */
export function matrixDocument(words: (cell: Cell) => string): string {
  const tables = LOOKS.flatMap((look) => (['GitHub', 'AWS'] as const).map((api) => {
    const calls = OUTBOUND_CALLS.filter(({ target, requests }) => target.api === api && requests[look] > 0);
    return `## ${TITLES[look]}: calls to ${api}\n\n${table(calls, look, words)}`;
  }));
  return [INTRODUCTION, ...tables].join('\n');
}

function table(calls: readonly OutboundCall[], look: Look, words: (cell: Cell) => string): string {
  const find = (call: OutboundCall, fault: string, duration: Duration) =>
    CELLS.find((cell) => cell.call === call && cell.fault.name === fault && cell.look === look && cell.duration === duration);
  const faults = FAULTS.map(({ name }) => name).filter((fault) => calls.some((call) => find(call, fault, 'once')));
  const rows = calls.map((call) => [call.name, ...faults.map((fault) => {
    const found = DURATIONS.flatMap((duration) => find(call, fault, duration) ?? []);
    return found.map(words).join('<br>');
  })]);
  const lines = [['call', ...faults], ['---', ...faults.map(() => '---')], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
