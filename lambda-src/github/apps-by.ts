/** Which Apps something was seen by, or refused to, in this invocation. */
export class AppsBy {
  private readonly apps = new Map<string, Set<string>>();

  add(thing: string, app: string): void {
    const apps = this.apps.get(thing) ?? new Set<string>();
    this.apps.set(thing, apps.add(app));
  }

  has(thing: string, app: string): boolean {
    return this.apps.get(thing)?.has(app) ?? false;
  }
}
