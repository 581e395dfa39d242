import type { ConfirmationPorts, Received } from '../../../lambda-src/janitor/confirm';
import { openBatch } from '../../../lambda-src/janitor/confirm';
import type { DiscoveryPolicy, DiscoveryPorts } from '../../../lambda-src/janitor/discover';
import { discover } from '../../../lambda-src/janitor/discover';
import type { DeleteAnswer, MachineState, Registration, RegistrationPage, Registrations, RunnerGroup } from '../../../lambda-src/janitor/ports';
import { readingDeadline } from '../../../lambda-src/janitor/reading-deadline';
import { Deadline } from '../../../lambda-src/shared/deadline';
import type { CandidateMessage, NominationMessage } from '../../../src/contract/candidate-message';

const PATTERN = /^p_(i-(?:[0-9a-f]{8}|[0-9a-f]{17}))$/;

export const MINUTE = 60_000;

/** A machine's id and the name its runner bears, both from a number. */
export const machineId = (n: number) => `i-${n.toString(16).padStart(17, '0')}`;
export const runnerName = (n: number) => `p_${machineId(n)}`;

/** A message on the queue; those that do not say so come from our own functions. */
export interface Sent { readonly body: string; readonly sentAt: number; readonly fromFirstLook?: boolean }

interface LoggedLine { level: string; message: string; fields: Record<string, unknown> }

/**
 * GitHub, the cloud and the queue as plain data, under a virtual clock: the ports of both looks, for tests of the decisions
 * alone. Whatever a test does between two answers goes into `before`.
 */
export class World {
  now = Date.parse('2026-01-01T00:00:00Z');
  groups: RunnerGroup[] = [{ key: '1', name: 'spot' }];
  /** configured, but not listed */
  missingGroups: string[] = [];
  registrations = new Map<string, Registration[]>([['1', []]]);
  machines = new Map<string, MachineState>();
  /** machines that are missing in the answer of a look-up */
  unanswered: string[] = [];
  tags = new Map<string, Record<string, string>>();
  queue: Sent[] = [];
  deleted: number[] = [];
  answersToDelete = new Map<number, DeleteAnswer>();
  requests: string[] = [];
  lookups: string[][] = [];
  postponed: number[] = [];
  lines: LoggedLine[] = [];
  pageSize = 100;
  /** false: as on older GHES, no answer says in which group a registration is */
  namesGroups = true;
  policy: DiscoveryPolicy = {
    scope: 'digest', groupKeys: undefined, dryRun: false, evidence: 'absent', protectedLabels: [], acknowledgedForeignRunners: [], candidatesPerRun: 100, interval: 30 * MINUTE,
  };
  /** called before each answer with `page 1 3`, `find 10`, `delete 10`, `groups`, `name x`, `lookup`, `send`; may throw or change the world */
  before: (what: string) => void;
  random: () => number;
  private nextId = 1;

  constructor() {
    this.before = () => {};
    this.random = () => 0;
  }

  addGroup(key: string): void {
    this.groups.push({ key, name: `group ${key}` });
    this.registrations.set(key, []);
  }

  add(registration: Partial<Registration> = {}, groupKey = '1'): Registration {
    const id = registration.id ?? this.nextId;
    this.nextId = Math.max(this.nextId, id) + 1;
    const added = { id, name: runnerName(id), status: 'offline', busy: false, labels: [], groupKey, ...registration };
    this.registrations.get(groupKey)!.push(added);
    return added;
  }

  /** An offline registration whose machine is nowhere. */
  ghost(groupKey = '1'): Registration {
    return this.add({}, groupKey);
  }

  living(registration: Partial<Registration> = {}, groupKey = '1'): Registration {
    const added = this.add({ status: 'online', ...registration }, groupKey);
    this.machines.set(machineId(added.id), 'present');
    return added;
  }

  change(id: number, change: Partial<Registration>): void {
    for (const list of this.registrations.values()) {
      const index = list.findIndex((one) => one.id === id);
      if (index >= 0) list[index] = { ...list[index]!, ...change };
    }
  }

  remove(id: number): void {
    for (const [key, list] of this.registrations) this.registrations.set(key, list.filter((one) => one.id !== id));
  }

  get remaining(): number[] {
    return [...this.registrations.values()].flat().map(({ id }) => id);
  }

  logged(level: string): string {
    return this.lines.filter((line) => line.level === level).map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`).join('\n');
  }

  /** One scheduled run. */
  discover(seconds = 300) {
    return discover(this.firstLookPorts(seconds), this.policy);
  }

  /** One batch of the given messages. Returns the outcomes and which messages went back to the queue. */
  async confirm(messages: readonly Sent[], seconds = 120) {
    const received: Received[] = messages.map((message, index) => ({ fromFirstLook: true, ...message, messageId: `m${index}`, receiptHandle: `r${index}` }));
    const batch = await openBatch(this.ports(seconds), this.policy, received);
    const returned: number[] = [];
    for (const [index, { messageId }] of received.entries()) if (!await batch.settle(messageId)) returned.push(index);
    return { outcomes: batch.report.outcomes, returned, report: batch.report };
  }

  /** Both looks, 15 minutes apart; returns the outcomes of all batches together. What is returned stays on the queue. */
  async confirmAll(after = 15 * MINUTE): Promise<Record<string, number>> {
    this.now += after;
    const total: Record<string, number> = {};
    const waiting = this.queue;
    this.queue = [];
    for (let start = 0; start < waiting.length; start += 10) {
      const messages = waiting.slice(start, start + 10);
      const { outcomes, returned } = await this.confirm(messages);
      this.queue.push(...returned.map((index) => messages[index]!));
      for (const [outcome, count] of Object.entries(outcomes)) total[outcome] = (total[outcome] ?? 0) + count;
    }
    return total;
  }

  message(runner: { id: number; name: string }, change: Partial<CandidateMessage> = {}): Sent {
    const message: CandidateMessage = {
      version: 1,
      kind: 'candidate',
      scope: 'digest',
      runner: { id: runner.id, name: runner.name },
      group: { key: '1', name: 'spot', pages: 1 },
      observedAt: new Date(this.now - 15 * MINUTE).toISOString(),
      evidence: 'absent',
      mode: 'armed',
      ...change,
    };
    return { body: JSON.stringify(message), sentAt: this.now - 15 * MINUTE };
  }

  /** What somebody writes who may nominate, and may therefore write anything. */
  forged(runner: { id: number; name: string }, change: Partial<CandidateMessage> = {}): Sent {
    return { ...this.message(runner, change), fromFirstLook: false };
  }

  nomination(name: string): Sent {
    const message: NominationMessage = { version: 1, kind: 'nomination', runnerName: name };
    return { body: JSON.stringify(message), sentAt: this.now - 15 * MINUTE, fromFirstLook: false };
  }

  firstLookPorts(seconds = 300): DiscoveryPorts {
    const ports = this.ports(seconds);
    return { ...ports, deadline: readingDeadline(ports.deadline) };
  }

  ports(seconds: number): ConfirmationPorts {
    const clock = () => this.now;
    const deadline = Deadline.after(seconds * 1000, clock);
    const sleep = async (milliseconds: number) => { this.now += milliseconds; };
    const log = (level: string) => (message: string, fields: Record<string, unknown> = {}) => { this.lines.push({ level, message, fields }); };
    return {
      registrations: this.github(),
      machines: {
        resourceIdOf: (name) => PATTERN.exec(name)?.[1],
        lookup: async (ids) => {
          this.lookups.push([...ids]);
          this.before('lookup');
          return new Map(ids.filter((id) => !this.unanswered.includes(id)).map((id) => [id, this.machines.get(id) ?? 'absent']));
        },
        namesOf: (id) => [`p_${id}`],
        carries: async (id, tags) => Object.entries(tags).every(([key, value]) => this.tags.get(id)?.[key] === value),
      },
      queue: {
        send: async (candidates) => {
          const unsent: CandidateMessage[] = [];
          for (let start = 0; start < candidates.length; start += 10) {
            const batch = candidates.slice(start, start + 10);
            if (!deadline.isOpen()) {
              unsent.push(...batch);
              continue;
            }
            this.before('send');
            this.queue.push(...batch.map((candidate) => ({ body: JSON.stringify(candidate), sentAt: this.now })));
          }
          return unsent;
        },
        nominate: async (names) => {
          this.before('send');
          this.queue.push(...names.map((name) => ({ ...this.nomination(name), sentAt: this.now })));
          return [];
        },
        postpone: async (_, by) => { this.postponed.push(by); },
      },
      log: { info: log('info'), warn: log('warn'), error: log('error') },
      deadline,
      now: clock,
      random: () => this.random(),
      sleep,
    };
  }

  private github(): Registrations {
    const readable = new Set<string>();
    const ask = (what: string) => {
      this.requests.push(what);
      this.before(what);
    };
    const shown = (registration: Registration): Registration => (this.namesGroups ? registration : { ...registration, groupKey: undefined });
    const all = () => [...this.registrations.values()].flat();
    return {
      missingGroups: this.missingGroups,
      listGroups: async () => {
        ask('groups');
        return this.groups;
      },
      readPage: async (group, page): Promise<RegistrationPage> => {
        ask(`page ${group.key} ${page}`);
        readable.add(group.key);
        const list = this.registrations.get(group.key) ?? [];
        const end = page * this.pageSize;
        return { registrations: list.slice(end - this.pageSize, end).map(shown), totalCount: list.length, hasNext: end < list.length };
      },
      find: async (group, id) => {
        ask(`find ${id}`);
        const found = all().find((one) => one.id === id);
        if (found) return shown(found);
        return readable.has(group.key) ? 'gone' : 'unproven';
      },
      findByName: async (name) => {
        ask(`name ${name}`);
        return all().filter((one) => one.name === name).map(shown);
      },
      turnToDelete: async () => {
        this.before('turn');
      },
      delete: async (_, id) => {
        ask(`delete ${id}`);
        const answer = this.answersToDelete.get(id) ?? (all().some((one) => one.id === id) ? 'deleted' : 'alreadyGone');
        if (answer === 'deleted') {
          this.deleted.push(id);
          this.remove(id);
        }
        return answer;
      },
    };
  }
}
