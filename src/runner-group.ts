import { checkInteger, checkText } from './private/validate';

/** A runner group of an organization or enterprise. */
export class RunnerGroup {
  /**
   * The group with this name, whatever its id: it may be made anew, and an inherited group may be named too.
   *
   * @param name exactly as GitHub shows it
   */
  public static named(name: string): RunnerGroup {
    checkText('runner group name', name);
    return new RunnerGroup(name, undefined);
  }

  /**
   * The group with this id, whatever its name.
   *
   * @param id the number at the end of the group's settings URL
   */
  public static withId(id: number): RunnerGroup {
    checkInteger('runner group id', id, { min: 1, max: Number.MAX_SAFE_INTEGER });
    return new RunnerGroup(undefined, id);
  }

  private constructor(
    /** @internal */
    public readonly _name: string | undefined,
    /** @internal */
    public readonly _id: number | undefined,
  ) {}
}
