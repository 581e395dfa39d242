import type { Job, JobOptions } from './job';
import { newJob } from './job';
import { DEFAULT_GROUP, RegistrationBook } from './registration-book';
import type { Runner, RunnerOptions } from './runner';
import { newRunner } from './runner';

export interface Account {
  readonly kind: 'organization' | 'enterprise' | 'user';
  readonly id: number;
  readonly login: string;
  readonly book: RegistrationBook;
}

export interface Repository {
  readonly id: number;
  readonly owner: Account;
  readonly name: string;
  readonly fullName: string;
  readonly private: boolean;
  readonly book: RegistrationBook;
  readonly jobs: Map<number, Job>;
}

export interface GroupOptions {
  readonly name: string;
  readonly id?: number;
  /** @default false */
  readonly inherited?: boolean;
}

/** What exists at GitHub, apart from credentials. Logins and repository names are compared without case, as GitHub does. */
export class World {
  private readonly accounts = new Map<string, Account>();
  private readonly repositories = new Map<string, Repository>();
  private nextId = 1000;
  private nextRunnerId = 1;
  private nextGroupId = DEFAULT_GROUP + 1;

  addAccount(kind: Account['kind'], login: string): Account {
    if (this.findAccount(login)) throw new Error(`there is a ${this.account(login).kind} ${login} already`);
    const account: Account = { kind, id: this.nextId++, login, book: new RegistrationBook(login) };
    if (kind !== 'user') account.book.addGroup(DEFAULT_GROUP, 'Default', false);
    this.accounts.set(login.toLowerCase(), account);
    return account;
  }

  addRepository(fullName: string, isPrivate: boolean): Repository {
    const [login, name] = fullName.split('/');
    if (!login || !name) throw new Error(`a repository's name is owner/name, got '${fullName}'`);
    const repository: Repository = {
      id: this.nextId++, owner: this.account(login), name, fullName, private: isPrivate, book: new RegistrationBook(fullName), jobs: new Map(),
    };
    this.repositories.set(fullName.toLowerCase(), repository);
    return repository;
  }

  addGroup(login: string, options: GroupOptions): number {
    const id = options.id ?? this.nextGroupId;
    this.nextGroupId = Math.max(this.nextGroupId, id + 1);
    this.account(login).book.addGroup(id, options.name, options.inherited ?? false);
    return id;
  }

  addRunner(book: RegistrationBook, groupId: number | undefined, options: RunnerOptions): Runner {
    const id = options.id ?? this.nextRunnerId;
    this.nextRunnerId = Math.max(this.nextRunnerId, id + 1);
    const runner = newRunner(id, groupId, options);
    book.add(runner);
    return runner;
  }

  addJob(fullName: string, options: JobOptions): Job {
    const job = newJob(fullName, options);
    this.repository(fullName).jobs.set(job.id, job);
    return job;
  }

  findAccount(login: string): Account | undefined {
    return this.accounts.get(login.toLowerCase());
  }

  findRepository(fullName: string): Repository | undefined {
    return this.repositories.get(fullName.toLowerCase());
  }

  accountById(id: number): Account | undefined {
    return [...this.accounts.values()].find((account) => account.id === id);
  }

  repositoryById(id: number): Repository | undefined {
    return [...this.repositories.values()].find((repository) => repository.id === id);
  }

  account(login: string): Account {
    const account = this.findAccount(login);
    if (!account) throw new Error(`there is no account ${login}: add it first`);
    return account;
  }

  repository(fullName: string): Repository {
    const repository = this.findRepository(fullName);
    if (!repository) throw new Error(`there is no repository ${fullName}: add it first`);
    return repository;
  }

  /** `acme` or `acme/repo` */
  book(owner: string): RegistrationBook {
    return owner.includes('/') ? this.repository(owner).book : this.account(owner).book;
  }
}
