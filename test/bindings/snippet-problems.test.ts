import { snippetProblems } from './snippet-problems';

function tablet(translations: Record<string, string>, didCompile = true) {
  const location = { api: { api: 'type', fqn: 'a.Janitor' } };
  const sources = Object.fromEntries(Object.entries(translations).map(([language, source]) => [language, { source }]));
  return { snippets: { key: { didCompile, location, translations: sources } } };
}

const COMPLETE = {
  python: 'Janitor(self, "J",\n    dry_run=True # new, in TypeScript\n)',
  go: 'janitor.NewJanitor(this, jsii.String("J"))',
  java: 'Janitor.Builder.create(this, "J").build();',
  csharp: 'new Janitor(this, "J");',
};

test('a snippet that compiles and is there in all languages is fine', () => {
  expect(snippetProblems(tablet(COMPLETE))).toEqual([]);
});

test('a snippet that does not compile is named', () => {
  expect(snippetProblems(tablet(COMPLETE, false))).toEqual(['a.Janitor: does not compile']);
});

test('a language without the snippet, or with an empty one, is named', () => {
  const { go: _, ...others } = COMPLETE;
  expect(snippetProblems(tablet({ ...others, python: ' ' }))).toEqual(['a.Janitor: no translation for python', 'a.Janitor: no translation for go']);
});

test.each([
  ['python', 'x = new Janitor()', '"new"'],
  ['python', 'f(() => 1)', '"=>"'],
  ['go', 'const x := 1', '"const"'],
  ['java', 'declare x', '"declare"'],
  ['csharp', 'undefined', '"undefined"'],
])('TypeScript that is left in %s is named: %s', (language, source, leftOver) => {
  expect(snippetProblems(tablet({ ...COMPLETE, [language]: source }))).toEqual([`a.Janitor: ${language} contains ${leftOver}`]);
});
