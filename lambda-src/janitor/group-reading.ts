import type { Turn } from './page-order';
import { pagesOf } from './page-order';
import type { Log, Registration, RegistrationPage, Registrations, RunnerGroup } from './ports';
import { describeError, TransientError } from '../shared/errors';
import { retrying } from '../shared/retry';
import type { RetryPorts } from '../shared/retry';

/** A group whose pages fail so often in a row is left for the next run. */
const MAX_FAILURES_IN_A_ROW = 3;

export interface ReadingPorts extends RetryPorts {
  readonly registrations: Registrations;
  readonly log: Log;
}

/** Reads one group page by page, from this run's start page to the end and round to the page before it. */
export class GroupReading {
  failedPages = 0;
  /** of the page that was yielded last; behind `wrapped` pages, page 1 has had its turn as well */
  stage: 'ahead' | 'inTurn' | 'wrapped' = 'inTurn';
  private failuresInARow = 0;
  /** unknown until a page has been read */
  private pages = Infinity;
  /** of all counts that GitHub gave during this reading */
  private largestCount = 0;
  private finished = false;
  private readonly seen = new Set<number>();

  constructor(private readonly ports: ReadingPorts, readonly group: RunnerGroup, private readonly turn: Pick<Turn, 'page'>) {}

  get pageCount(): number {
    return Number.isFinite(this.pages) ? this.pages : 1;
  }

  get registrationsSeen(): number {
    return this.seen.size;
  }

  /**
   * False when pages failed, when time ran out, and when GitHub has ever counted more registrations than it has shown: those that go pull
   * others from pages that are still to come to pages that were read.
   */
  get readToTheEnd(): boolean {
    return this.finished && this.failedPages === 0 && this.seen.size >= this.largestCount;
  }

  /**
   * Yields what each page shows for the first time. Page 1 tells how many there are, so it is always the first one, `ahead` of the pages
   * whose turn it is; when its own turn comes, it is not asked for again.
   */
  async *read(): AsyncGenerator<readonly Registration[]> {
    const first = await this.tryPage(1);
    const start = first ? this.turn.page(this.pageCount) : 1;
    if (start > 1) this.stage = 'ahead';
    if (first) yield this.unseen(first);
    this.stage = 'inTurn';
    yield* this.span(Math.max(start, 2), first?.hasNext ?? true);
    this.stage = 'wrapped';
    if (start > 1) yield* this.span(2, true, start - 1);
    this.finished = true;
  }

  private async *span(from: number, mayContinue: boolean, to = Infinity): AsyncGenerator<readonly Registration[]> {
    let hasNext = mayContinue && from === 2;
    for (let page = from; page <= to && (hasNext || page <= this.pages); page += 1) {
      if (this.failuresInARow >= MAX_FAILURES_IN_A_ROW) return;
      const answer = await this.tryPage(page);
      hasNext = answer?.hasNext ?? false;
      if (!answer) continue;
      const fresh = this.unseen(answer);
      yield fresh;
      // whatever the count or the link to a next page says: there is nothing to come, and asking on would only use up the quota
      if (answer.registrations.length === 0 || (page >= this.pages && fresh.length === 0)) return;
    }
  }

  private async tryPage(page: number): Promise<RegistrationPage | undefined> {
    try {
      const answer = await retrying(this.ports, `page ${page} of group ${this.group.name}`, () => this.ports.registrations.readPage(this.group, page));
      this.failuresInARow = 0;
      this.largestCount = Math.max(this.largestCount, answer.totalCount);
      this.pages = pagesOf(answer.totalCount);
      return answer;
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      this.failedPages += 1;
      this.failuresInARow += 1;
      this.ports.log.warn('a page of registrations could not be read', { group: this.group.name, page, error: describeError(error) });
      return undefined;
    }
  }

  /** Pages shift while registrations come and go, so entries repeat. */
  private unseen(page: RegistrationPage): readonly Registration[] {
    const fresh = page.registrations.filter(({ id }) => !this.seen.has(id));
    fresh.forEach(({ id }) => this.seen.add(id));
    return fresh;
  }
}
