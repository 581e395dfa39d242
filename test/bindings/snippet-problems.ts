/** What `jsii-rosetta extract` leaves behind: https://github.com/aws/jsii-rosetta */
export interface Tablet {
  readonly snippets: Record<string, {
    readonly didCompile?: boolean;
    readonly location: { readonly api: { readonly api: string; readonly fqn?: string }; readonly field?: { readonly line?: number } };
    readonly translations: Record<string, { readonly source: string }>;
  }>;
}

/** Languages that people read the documentation in. */
const LANGUAGES = ['python', 'go', 'java', 'csharp'];

/** TypeScript that is left where a translator did not know what to do. */
const LEFT_OVERS: Record<string, RegExp> = {
  python: /\b(?:new|const|let|declare|undefined|true|false)\b|=>|;$/m,
  go: /\b(?:new|const|let|declare|undefined)\b|=>|;$/m,
  java: /\b(?:const|let|declare|undefined)\b|=>/m,
  csharp: /\b(?:const|let|declare|undefined)\b/m,
};

/** Snippets that do not compile, or are not complete in one of the languages. */
export function snippetProblems({ snippets }: Tablet): string[] {
  return Object.values(snippets).flatMap(({ didCompile, location, translations }) => {
    const place = location.api.fqn ?? `README, line ${location.field?.line}`;
    return [
      ...(didCompile === true ? [] : [`${place}: does not compile`]),
      ...LANGUAGES.flatMap((language) => {
        const source = translations[language]?.source;
        if (source === undefined || source.trim() === '') return [`${place}: no translation for ${language}`];
        const leftOver = LEFT_OVERS[language]?.exec(withoutComments(source))?.[0];
        return leftOver === undefined ? [] : [`${place}: ${language} contains ${JSON.stringify(leftOver)}`];
      }),
    ];
  });
}

function withoutComments(source: string): string {
  return source.replace(/(?:#|\/\/).*$/gm, '');
}
