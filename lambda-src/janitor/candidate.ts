import { createHash } from 'node:crypto';
import type { CandidateMessage, Evidence } from '../../src/contract/candidate-message';
import { MESSAGE_VERSION } from '../../src/contract/candidate-message';
import type { ComputeConfig, EvidencePolicy, ScopeConfig } from '../../src/contract/janitor-config';
import { MAX_RUNNER_NAME_LENGTH } from '../../src/contract/limits';
import { MalformedInputError } from '../shared/errors';

/** No group, repository or digest is called by more; what a message says is logged with the verdict. */
const MAX_TEXT_LENGTH = 256;

/** What a message on the confirmation queue says, in the terms of the second look. */
export interface Candidate {
  /** undefined: a nomination, which knows no registration and has no scope of its own */
  readonly registration: { readonly id: number; readonly group: CandidateMessage['group']; readonly scope: string } | undefined;
  readonly name: string;
  /** milliseconds; undefined: only SQS knows when it was sent */
  readonly observedAt: number | undefined;
  readonly evidence: Evidence | undefined;
  readonly mode: CandidateMessage['mode'] | undefined;
}

/**
 * Whether SQS, and not the message, says that our own first look has sent it. Of an assumed role the sender is `<role id>:<session name>`:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
 */
export function isFromFirstLook(senderId: string | undefined, candidateSender: string | undefined): boolean {
  return candidateSender !== undefined && senderId !== undefined && senderId.startsWith(`${candidateSender}:`);
}

/**
 * What is left of a candidate that no first look of ours has sent. Anybody who may nominate can write what looks like one, and the digest
 * in it is no secret; his word counts for no look, so that only a machine which the second look itself sees terminated makes it a ghost.
 */
export function asNomination(candidate: Candidate): Candidate {
  return { ...candidate, registration: undefined, evidence: undefined };
}

/**
 * Everything that decides which registrations and machines belong together. A candidate that was seen under another digest
 * must not be judged under this one: the configuration has changed in the minutes between.
 */
export function scopeDigest(host: string, scope: ScopeConfig, compute: ComputeConfig, evidence: EvidencePolicy): string {
  const facts = [MESSAGE_VERSION, host.toLowerCase(), canonical(scope), canonical(compute), evidence];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}

/** Order of keys and of list entries means nothing in a configuration. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical).sort((a, b) => compare(JSON.stringify(a), JSON.stringify(b)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).sort(([a], [b]) => compare(a, b)).map(([key, inner]) => [key, canonical(inner)]);
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Keys of the groups that may hold a candidate, where the configuration alone says so. Undefined: those that GitHub lists. */
export function groupKeysOf(scope: ScopeConfig): readonly string[] | undefined {
  if (scope.kind === 'repositories') return scope.repositories.map((name) => `${scope.owner}/${name}`);
  return scope.groups && scope.groups.names.length === 0 ? scope.groups.ids.map(String) : undefined;
}

/** Whether the younger of two messages says all that the older one says: it may then be lost without losing a candidate. */
export function supersedes(younger: Candidate, older: Candidate): boolean {
  const same = (candidate: Candidate) => JSON.stringify([
    candidate.registration?.scope, candidate.registration?.group.key, candidate.registration?.id, candidate.name, candidate.mode,
  ]);
  return same(younger) === same(older) && (younger.evidence === older.evidence || younger.evidence === 'terminated');
}

/** @throws MalformedInputError naming what is wrong with the body */
export function parseCandidate(body: string): Candidate {
  const message = parseObject(body);
  if (message.version !== MESSAGE_VERSION) throw new MalformedInputError(`'version' must be ${MESSAGE_VERSION}, got ${show(message.version)}`);
  if (message.kind === 'nomination') {
    const name = text(message.runnerName, 'runnerName', MAX_RUNNER_NAME_LENGTH);
    return { registration: undefined, name, observedAt: undefined, evidence: undefined, mode: undefined };
  }
  if (message.kind !== 'candidate') throw new MalformedInputError(`'kind' must be candidate or nomination, got ${show(message.kind)}`);
  const runner = object(message.runner, 'runner');
  const group = object(message.group, 'group');
  return {
    registration: {
      id: positiveInteger(runner.id, 'runner.id'),
      group: { key: groupKey(group.key, 'group.key'), name: text(group.name, 'group.name'), pages: positiveInteger(group.pages, 'group.pages') },
      scope: text(message.scope, 'scope'),
    },
    name: text(runner.name, 'runner.name', MAX_RUNNER_NAME_LENGTH),
    observedAt: timestamp(message.observedAt, 'observedAt'),
    evidence: oneOf(message.evidence, 'evidence', ['absent', 'terminated']),
    mode: oneOf(message.mode, 'mode', ['armed', 'dryRun']),
  };
}

function parseObject(body: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new MalformedInputError(`the body is not JSON: ${show(body)}`, { cause });
  }
  return object(value, 'body');
}

function object(value: unknown, property: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new MalformedInputError(`'${property}' must be an object, got ${show(value)}`);
  return value as Record<string, unknown>;
}

function text(value: unknown, property: string, longest = MAX_TEXT_LENGTH): string {
  if (typeof value !== 'string' || value === '') throw new MalformedInputError(`'${property}' must be a non-empty string, got ${show(value)}`);
  if (value.length > longest) throw new MalformedInputError(`'${property}' must have at most ${longest} characters, got ${show(value)}`);
  return value;
}

/** It becomes a part of paths, where `..` would be another place. */
function groupKey(value: unknown, property: string): string {
  const key = text(value, property);
  if (!/^(\d+|[\w-]+\/(?!\.\.?$)[\w.-]+)$/.test(key)) throw new MalformedInputError(`'${property}' must be the id of a group or owner/name of a repository, got ${show(key)}`);
  return key;
}

function positiveInteger(value: unknown, property: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1) throw new MalformedInputError(`'${property}' must be a positive integer, got ${show(value)}`);
  return value as number;
}

function timestamp(value: unknown, property: string): number {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) throw new MalformedInputError(`'${property}' must be a date and time in ISO 8601, got ${show(value)}`);
  return time;
}

function oneOf<const T extends string>(value: unknown, property: string, allowed: readonly T[]): T {
  const found = allowed.find((item) => item === value);
  if (!found) throw new MalformedInputError(`'${property}' must be one of ${allowed.join(', ')}, got ${show(value)}`);
  return found;
}

/** Hostile bodies must not flood the log, and what can be nested deeply enough to be parsed can be too deep to be written again. */
function show(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return (JSON.stringify(value) ?? 'undefined').slice(0, 120);
}
