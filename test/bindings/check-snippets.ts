import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tablet } from './snippet-problems';
import { snippetProblems } from './snippet-problems';

const tablet = JSON.parse(readFileSync(join(__dirname, '..', '..', '.jsii.tabl.json'), 'utf8')) as Tablet;
const problems = snippetProblems(tablet);
problems.forEach((problem) => console.error(problem));
console.log(`${Object.keys(tablet.snippets).length} snippets of README and docstrings, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
