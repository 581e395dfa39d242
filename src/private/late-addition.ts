/** Something that an app may add before or after what depends on it: the order of the calls makes no difference. */
export class LateAddition<T> {
  private added?: T;
  private readonly waiting: ((added: T) => void)[] = [];

  /** Undefined until it is added. */
  get value(): T | undefined {
    return this.added;
  }

  add(added: T): void {
    this.added = added;
    this.waiting.forEach((use) => use(added));
  }

  /** Now, if it is there already, and otherwise as soon as it is added. */
  whenAdded(use: (added: T) => void): void {
    if (this.added === undefined) this.waiting.push(use);
    else use(this.added);
  }
}
