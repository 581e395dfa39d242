import type { NotFoundError } from '../shared/errors';
import { LimitError, PermissionError, TransientError } from '../shared/errors';

/** The Apps that have refused this one request. */
export class Tried {
  private readonly errors = new Map<string, LimitError | TransientError | NotFoundError | PermissionError>();
  private readonly limited = new Map<string, number>();

  add(app: string, error: LimitError | TransientError | NotFoundError | PermissionError): void {
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
    return all.find((error) => error instanceof TransientError) ?? all.find((error) => error instanceof LimitError);
  }

  reason(): Error | undefined {
    const all = [...this.errors.values()];
    return this.doubt() ?? all.find((error) => error instanceof PermissionError) ?? all[0];
  }
}
