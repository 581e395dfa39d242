import type { Log } from '../../../lambda-src/janitor/ports';

export interface LogLine {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** A log whose lines can be looked at. */
export function recordedLog(): Log & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const write = (level: keyof Log) => (message: string, fields: Record<string, unknown> = {}) => void lines.push({ level, message, fields });
  return { lines, info: write('info'), warn: write('warn'), error: write('error') };
}
