/** Writes for a person: a line that is rewritten in place on a terminal, and plain lines where the output goes into a file. */
export class Screen {
  private shown = '';

  constructor(private readonly out: NodeJS.WriteStream = process.stdout) {}

  title(text: string): void {
    this.write(`\n${this.out.isTTY ? `\u001b[1m${text}\u001b[0m` : text}\n${'-'.repeat(text.length)}`);
  }

  line(text: string): void {
    this.write(`  ${text}`);
  }

  /** What is going on at this moment, until the next line is written. */
  progress(text: string): void {
    if (!this.out.isTTY || text === this.shown) return;
    this.out.write(`\r\u001b[K  ${text}`);
    this.shown = text;
  }

  table(head: readonly string[], rows: readonly (readonly string[])[], foot: readonly string[]): void {
    const all = [head, ...rows, foot];
    const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
    const rule = widths.map((width) => '-'.repeat(width)).join('  ');
    // numbers to the right, words to the left
    const format = (row: readonly string[]) => row.map((cell, column) => (
      /^\d*$/.test(rows[0]![column]!) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
    )).join('  ').trimEnd();
    for (const text of [format(head), rule, ...rows.map(format), rule, format(foot)]) this.line(text);
  }

  private write(text: string): void {
    if (this.shown !== '') this.out.write('\r\u001b[K');
    this.shown = '';
    this.out.write(`${text}\n`);
  }
}
