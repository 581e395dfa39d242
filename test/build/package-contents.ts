/** What the package holds beside compiled sources and bundles. `.jsii.tabl.json` has the snippets in all languages, for Construct Hub. */
const FILES = ['.jsii', '.jsii.tabl.json', 'API.md', 'LICENSE', 'README.md', 'package.json'];

/** What is compiled and bundled. */
export interface Sources {
  /** paths below `src`, without `.ts` */
  readonly modules: readonly string[];
  /** `discovery` for lambda-src/discovery.lambda.ts */
  readonly handlers: readonly string[];
}

/** What is in a package and should not be, or should be and is not; paths as npm lists them. */
export function packageProblems(packed: readonly string[], { modules, handlers }: Sources): string[] {
  const expected = new Set([
    ...FILES,
    ...modules.flatMap((module) => [`lib/${module}.js`, `lib/${module}.d.ts`]),
    ...handlers.map((handler) => `assets/${handler}.lambda/index.js`),
  ]);
  return [
    ...packed.filter((path) => !expected.has(path)).map((path) => `${path} does not belong into the package`),
    ...[...expected].filter((path) => !packed.includes(path)).map((path) => `${path} is missing`),
  ].sort();
}
