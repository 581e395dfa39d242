import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Sources } from './package-contents';

export const ROOT = join(__dirname, '..', '..');

/** What is there to compile and to bundle. */
export function packageSources(): Sources {
  return {
    modules: readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts')).map((path) => path.replace(/\.ts$/, '')),
    handlers: readdirSync(join(ROOT, 'lambda-src')).filter((path) => path.endsWith('.lambda.ts')).map((path) => path.replace(/\.lambda\.ts$/, '')),
  };
}
