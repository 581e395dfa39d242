import type { InstanceState } from '../../test/support/cloud/ec2-service';

/** Registrations that have the same story. */
export interface FleetKind {
  readonly title: string;
  /** why it has to be kept, or to go */
  readonly why: string;
  readonly ghost: boolean;
  /** how many there are */
  readonly count: number;
  /** what GitHub says */
  readonly github: { readonly status: 'online' | 'offline'; readonly busy?: boolean; readonly version?: null };
  /** its machine; `none`: no region knows it, `late`: no region knows it yet at the first look */
  readonly machine: InstanceState | 'none' | 'late';
  /** its name; a machine's id by itself is what our machines are registered under */
  readonly name: (prefix: string, machine: string) => string;
  readonly shortId?: true;
  /** what GitHub says at the second look, where that differs */
  readonly later?: { readonly status: 'online'; readonly busy: boolean };
}

const OFFLINE = { status: 'offline' } as const;

const NEVER_CONNECTED = { status: 'offline', version: null } as const;

const SHORT = { shortId: true } as const;

export const FLEET_KINDS: readonly FleetKind[] = [
  living(112, 'idle', 'online, waits for a job', { status: 'online' }, 'running'),
  living(40, 'busy', 'online, runs a job', { status: 'online', busy: true }, 'running'),
  living(18, 'looks dead', 'GitHub says offline, but its machine runs', OFFLINE, 'running'),
  living(30, 'stopped', 'its machine is stopped and may start again', OFFLINE, 'stopped'),
  living(10, 'just booted', 'its machine is still starting', NEVER_CONNECTED, 'pending'),
  living(7, 'registered early', 'first look: no machine yet; second look: it runs', NEVER_CONNECTED, 'late'),
  living(3, 'back to work', 'first look: offline, no machine; second look: busy', OFFLINE, 'late', { later: { status: 'online', busy: true } }),
  foreign(24, 'foreign', 'not named like one of our machines', (_, id) => `mac-studio-${id.slice(-4)}`),
  foreign(6, 'foreign, similar', 'our name with something in front of it', (prefix, id) => `old-${prefix}${id}`),
  foreign(8, 'suffixed', 'our name with something behind it', (prefix, id) => `${prefix}${id}-2`),
  living(5, 'stuck', 'machine gone, but GitHub says busy: reported only', { status: 'offline', busy: true }, 'none'),
  ghost(28, 'ghost', 'its machine was seen terminated', 'terminated'),
  ghost(36, 'ghost, older', 'no region knows its machine any more', 'none'),
  ghost(16, 'ghost, short id', 'the same, with an id of 8 digits', 'none', SHORT),
];

type Machine = FleetKind['machine'];

function living(count: number, title: string, why: string, github: FleetKind['github'], machine: Machine, more: Partial<FleetKind> = {}): FleetKind {
  return { title, why, ghost: false, count, github, machine, name: ours, ...more };
}

function foreign(count: number, title: string, why: string, name: FleetKind['name']): FleetKind {
  return { title, why, ghost: false, count, github: OFFLINE, machine: 'none', name };
}

function ghost(count: number, title: string, why: string, machine: Machine, more: Partial<FleetKind> = {}): FleetKind {
  return { title, why, ghost: true, count, github: OFFLINE, machine, name: ours, ...more };
}

function ours(prefix: string, machine: string): string {
  return `${prefix}${machine}`;
}
