/** A registration exactly as GitHub sends it. */
export interface Runner {
  id: number;
  /** repositories have no groups */
  runner_group_id?: number;
  name: string;
  os: string;
  status: string;
  busy: boolean;
  labels: readonly RunnerLabel[];
  ephemeral: boolean;
  /** null: registered just in time, but never connected */
  version: string | null;
}

export interface RunnerLabel {
  readonly id: number;
  readonly name: string;
  readonly type: 'read-only' | 'custom';
}

export interface RunnerOptions {
  readonly name: string;
  readonly id?: number;
  /** @default 'offline' */
  readonly status?: 'online' | 'offline';
  /** @default false */
  readonly busy?: boolean;
  /** @default self-hosted, Linux, X64 */
  readonly labels?: readonly string[];
  readonly os?: string;
  /** @default true */
  readonly ephemeral?: boolean;
  /** @default a version: the runner has connected at least once */
  readonly version?: string | null;
}

export interface RunnerChanges {
  readonly name?: string;
  readonly status?: string;
  readonly busy?: boolean;
  readonly labels?: readonly string[];
  readonly version?: string | null;
  readonly runner_group_id?: number;
}

const READ_ONLY = new Set(['self-hosted', 'linux', 'windows', 'macos', 'x64', 'arm', 'arm64']);

export function runnerLabels(names: readonly string[]): readonly RunnerLabel[] {
  return names.map((name, index) => ({ id: index + 1, name, type: READ_ONLY.has(name.toLowerCase()) ? 'read-only' : 'custom' }));
}

// one array for all runners with the usual labels: fleets of 100,000 are built in tests
const USUAL_LABELS = runnerLabels(['self-hosted', 'Linux', 'X64']);

export function newRunner(id: number, groupId: number | undefined, options: RunnerOptions): Runner {
  return {
    id,
    ...(groupId !== undefined && { runner_group_id: groupId }),
    name: options.name,
    os: options.os ?? 'linux',
    status: options.status ?? 'offline',
    busy: options.busy ?? false,
    labels: options.labels ? runnerLabels(options.labels) : USUAL_LABELS,
    ephemeral: options.ephemeral ?? true,
    version: options.version === undefined ? '2.330.0' : options.version,
  };
}
