import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { ScratchPackage } from './scratch-package';

/** Languages whose packages are generated, but neither compiled nor run here, and the file that a class or struct has to have there. */
const FILES = {
  java: (name: string) => `${name}.java`,
  dotnet: (name: string) => `${name}.cs`,
};

export type SourceLanguage = keyof typeof FILES;

export const SOURCE_LANGUAGES = Object.keys(FILES) as SourceLanguage[];

/** Generates the sources for a language, and returns the types of the API that have no file there. */
export async function typesWithoutSource(scratch: ScratchPackage, language: SourceLanguage): Promise<string[]> {
  const directory = await scratch.pack(language, '--code-only');
  const files = new Set(readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((file) => basename(file)));
  return scratch.types().filter((name) => !files.has(FILES[language](name)));
}
