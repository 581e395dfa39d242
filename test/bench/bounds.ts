/** Measured numbers against what they may be at most. */
export class Bounds {
  private readonly broken: string[] = [];

  section(title: string): void {
    console.log(`\n${title}`);
  }

  atMost(what: string, got: number, limit: number, unit = ''): void {
    this.judge(what, got <= limit, `${shown(got)}${unit}`, `at most ${shown(limit)}${unit}`);
  }

  atLeast(what: string, got: number, limit: number, unit = ''): void {
    this.judge(what, got >= limit, `${shown(got)}${unit}`, `at least ${shown(limit)}${unit}`);
  }

  exactly(what: string, got: number, expected: number): void {
    this.judge(what, got === expected, shown(got), `exactly ${shown(expected)}`);
  }

  note(what: string, got: number, unit = ''): void {
    console.log(`       ${what.padEnd(72)}${(shown(got) + unit).padStart(12)}`);
  }

  /** Prints the verdict. Returns the exit code. */
  conclude(): number {
    console.log(this.broken.length === 0 ? '\nevery bound holds' : `\n${this.broken.length} broken:\n${this.broken.map((line) => `  ${line}`).join('\n')}`);
    return this.broken.length === 0 ? 0 : 1;
  }

  private judge(what: string, holds: boolean, got: string, bound: string): void {
    console.log(`${holds ? '  ok ' : 'BROKEN'} ${holds ? ' ' : ''}${what.padEnd(72)}${got.padStart(12)}   ${bound}`);
    if (!holds) this.broken.push(`${what}: ${got}, ${bound}`);
  }
}

function shown(number: number): string {
  return number.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
