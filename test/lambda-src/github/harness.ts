import type { InvocationDeadline } from '../../../lambda-src/github/fetch';
import { createGitHub } from '../../../lambda-src/github/github';
import type { GitHub, GitHubConfig } from '../../../lambda-src/github/github';
import { MAX_REPETITIONS } from '../../../lambda-src/janitor/confirm';
import type { DeleteAnswer, Registrations, RunnerGroup } from '../../../lambda-src/janitor/ports';
import { Deadline } from '../../../lambda-src/shared/deadline';
import { ReadAgainError } from '../../../lambda-src/shared/errors';
import type { ScopeConfig } from '../../../src/contract/janitor-config';
import { FakeGitHub } from '../../support/fake-github/fake-github';

export const ACME: ScopeConfig = { kind: 'organization', owner: 'acme' };

/** The adapter against a fake GitHub over real sockets, with a clock that only `sleep` and the test move. */
export class Harness {
  static async start(): Promise<Harness> {
    const harness: Harness = new Harness(await FakeGitHub.start({ now: () => harness.time }));
    harness.github.addOrganization('acme');
    return harness;
  }

  time = Date.parse('2026-11-30T12:00:00Z');
  readonly sleeps: number[] = [];
  readonly secrets = new Map<string, string>();
  readonly reads: string[] = [];
  readonly logged: { level: string; message: string; fields?: Record<string, unknown> | undefined }[] = [];
  fetch: typeof globalThis.fetch = globalThis.fetch;

  private constructor(readonly github: FakeGitHub) {}

  /** One more App with its own secret. @returns the id of its installation */
  addApp(appId: number, options: { limit?: number; owner?: string; permissions?: Record<string, 'read' | 'write'>; installed?: boolean } = {}): number {
    const { privateKey } = this.github.addApp({ appId, ...(options.limit !== undefined && { limit: options.limit }) });
    this.secrets.set(`arn:app${appId}`, JSON.stringify({ appId, privateKey }));
    if (options.installed === false) return 0;
    return this.github.install(appId, { owner: options.owner ?? 'acme', ...(options.permissions && { permissions: options.permissions }) });
  }

  connect(config: Partial<GitHubConfig> = {}): GitHub {
    return createGitHub({
      config: {
        githubUrl: this.github.url,
        scope: ACME,
        credentials: { kind: 'apps', secrets: [...this.secrets.keys()].filter((name) => name.startsWith('arn:app')) },
        quotaReserve: 0.2,
        ...config,
      },
      reader: {
        readSecret: async (arn) => this.read(arn),
        readParameter: async (name) => this.read(name),
      },
      log: {
        info: (message, fields) => void this.logged.push({ level: 'info', message, fields }),
        warn: (message, fields) => void this.logged.push({ level: 'warn', message, fields }),
        error: (message, fields) => void this.logged.push({ level: 'error', message, fields }),
      },
      now: () => this.time,
      sleep: async (milliseconds) => {
        this.sleeps.push(milliseconds);
        this.time += milliseconds;
      },
      fetch: (input, init) => this.fetch(input, init),
    });
  }

  deadline(seconds = 300): Deadline {
    return Deadline.after(seconds * 1000, () => this.time);
  }

  /** Gives up on a request sooner than after ten seconds of real time, but not because the machine is busy. */
  impatient(seconds = 300): InvocationDeadline {
    const deadline = this.deadline(seconds);
    return {
      get remaining() {
        return deadline.remaining;
      },
      isOpen: (after) => deadline.isOpen(after),
      check: (what) => deadline.check(what),
      signal: () => AbortSignal.timeout(1500),
    };
  }

  /** What such requests are answered up to a moment, however many they are. */
  answerUntil(end: number, path: RegExp, status: number, message = 'refused'): void {
    const { fetch } = this;
    this.fetch = async (input, init) => (
      this.time < end && path.test(String(input)) ? new Response(JSON.stringify({ message }), { status }) : fetch(input, init)
    );
  }

  private read(name: string): string {
    this.reads.push(name);
    const value = this.secrets.get(name);
    if (value === undefined) throw new Error(`${name} does not exist`);
    return value;
  }
}

export const group = (id: number, name = `group ${id}`) => ({ key: String(id), name });

/** A DELETE as the second look sends it, without the reads before it. */
export async function remove(session: Registrations, place: RunnerGroup, id: number): Promise<DeleteAnswer> {
  for (let repetition = 0; ; repetition += 1) {
    await session.turnToDelete(place);
    try {
      return await session.delete(place, id);
    } catch (error) {
      if (!(error instanceof ReadAgainError) || repetition === MAX_REPETITIONS) throw error;
    }
  }
}
