import type { Registration } from '../janitor/ports';
import { TransientError } from '../shared/errors';

/** A runner group as GitHub lists it. */
export interface ListedGroup {
  readonly id: number;
  readonly name: string;
  /** belongs to the enterprise above the organization */
  readonly inherited: boolean;
}

/** Where a registration is: from its own answer, unless the place has no groups or the answer does not say. */
export type GroupKeyOf = (runnerGroupId: number | undefined) => string | undefined;

/** Octokit hands over whatever the body held; a value of the wrong kind must never look like an idle runner or an empty page. */
export function parseRunnerPage(what: string, data: unknown, groupKeyOf: GroupKeyOf): { totalCount: number; registrations: Registration[] } {
  const page = record(what, 'the body', data);
  return {
    totalCount: integer(what, 'total_count', page.total_count),
    registrations: list(what, 'runners', page.runners).map((runner) => parseRunner(what, runner, groupKeyOf)),
  };
}

export function parseRunner(what: string, data: unknown, groupKeyOf: GroupKeyOf): Registration {
  const runner = record(what, 'a runner', data);
  const groupId = runner.runner_group_id ?? undefined;
  return {
    id: integer(what, 'id', runner.id),
    name: text(what, 'name', runner.name),
    status: text(what, 'status', runner.status),
    busy: boolean(what, 'busy', runner.busy),
    labels: list(what, 'labels', runner.labels).map((label) => text(what, 'a label', record(what, 'a label', label).name)),
    groupKey: groupKeyOf(groupId === undefined ? undefined : integer(what, 'runner_group_id', groupId)),
  };
}

export function parseGroupPage(what: string, data: unknown): { totalCount: number; groups: ListedGroup[] } {
  const page = record(what, 'the body', data);
  return {
    totalCount: integer(what, 'total_count', page.total_count),
    groups: list(what, 'runner_groups', page.runner_groups).map((item) => {
      const group = record(what, 'a group', item);
      const inherited = group.inherited === undefined ? false : boolean(what, 'inherited', group.inherited);
      return { id: integer(what, 'id', group.id), name: text(what, 'name', group.name), inherited };
    }),
  };
}

export function parseInstallationId(what: string, data: unknown): number {
  return integer(what, 'id', record(what, 'the body', data).id);
}

function record(what: string, name: string, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw misshapen(what, name, 'an object', value);
  return value as Record<string, unknown>;
}

function list(what: string, name: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw misshapen(what, name, 'an array', value);
  return value;
}

function text(what: string, name: string, value: unknown): string {
  if (typeof value !== 'string') throw misshapen(what, name, 'a string', value);
  return value;
}

function boolean(what: string, name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw misshapen(what, name, 'a boolean', value);
  return value;
}

/** Octokit turns integers above 2^53 into bigint, which cannot be written as JSON again. */
function integer(what: string, name: string, value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw misshapen(what, name, 'an integer from 0 to 2^53 - 1', value);
  return value as number;
}

function misshapen(what: string, name: string, expected: string, value: unknown): TransientError {
  const got = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value === 'number' ? String(value) : typeof value;
  return new TransientError(`${what}: wrong shape: ${name} must be ${expected}, got ${got}`);
}
