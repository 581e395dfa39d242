import type { NotFoundError } from '../shared/errors';
import { LimitError, PermissionError, ReadAgainError, TransientError } from '../shared/errors';

type Refused = LimitError | TransientError | NotFoundError | PermissionError | ReadAgainError;

/** The Apps that have refused this one request. */
export class Tried {
  private readonly errors = new Map<string, Refused>();
  private readonly limited = new Map<string, number>();

  /** `since`: when the request was made */
  constructor(readonly since: number) {}

  add(app: string, error: Refused): void {
    this.errors.set(app, error);
  }

  has(app: string): boolean {
    return this.errors.has(app);
  }

  limits(app: string): number {
    const count = (this.limited.get(app) ?? 0) + 1;
    this.limited.set(app, count);
    return count;
  }

  /** One App that could not be heard may have answered otherwise. */
  doubt(): Error | undefined {
    const all = [...this.errors.values()];
    for (const kind of [ReadAgainError, TransientError, LimitError]) {
      const doubt = all.find((error) => error instanceof kind);
      if (doubt) return doubt;
    }
    return undefined;
  }

  reason(): Error | undefined {
    const all = [...this.errors.values()];
    return this.doubt() ?? all.find((error) => error instanceof PermissionError) ?? all[0];
  }
}
