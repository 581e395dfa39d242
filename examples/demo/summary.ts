import type { Fleet } from './fleet';
import { FLEET_KINDS } from './fleet-kinds';
import type { Screen } from './screen';
import type { JanitorStage } from '../../test/support/cloud/janitor-stage';

/** One row for each kind of registration: what was kept and why, what was deleted. */
export function showFleet(screen: Screen, fleet: Fleet): void {
  const counted = FLEET_KINDS.map((kind) => {
    const all = fleet.members.filter((member) => member.kind === kind);
    const kept = all.filter((member) => fleet.isRegistered(member)).length;
    return { kind, all: all.length, kept, deleted: all.length - kept };
  });
  const total = (key: 'all' | 'kept' | 'deleted') => String(counted.reduce((sum, row) => sum + row[key], 0));
  screen.table(
    ['registration', 'were', 'kept', 'deleted', 'because'],
    counted.map(({ kind, all, kept, deleted }) => [kind.title, String(all), String(kept), String(deleted), kind.why]),
    ['together', total('all'), total('kept'), total('deleted'), ''],
  );
}

/** What both acts together took. */
export function showCosts(screen: Screen, { github, cloud }: JanitorStage, compression: number): void {
  const { recorder } = cloud.gateway;
  const deletes = github.count({ method: 'DELETE' });
  const lists = github.count({ method: 'GET', path: /\/runner-groups(\/\d+\/runners)?$/ });
  const finds = github.count({ method: 'GET', path: /\/actions\/runners\/\d+$/ });
  const logins = github.requests.length - lists - finds - deletes;
  screen.line(`GitHub: ${github.requests.length} requests: ${lists} lists, ${finds} single registrations, ${deletes} DELETE, ${logins} to log in`);
  screen.line(`AWS:    ${recorder.calls.length} calls, ${recorder.count('ec2:DescribeInstances')} of them DescribeInstances; `
    + 'each was checked against the policies of the synthesised roles');
  screen.line(`Clock:  two waits of 15 minutes were compressed to a moment, and pauses between DELETEs shortened ${compression} times, from outside`);
}
