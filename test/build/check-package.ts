import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { packageProblems } from './package-contents';
import { packageSources } from './package-sources';

/** Python, Go and every other language carry the package in their own: what it weighs, everybody downloads. */
const LIMIT_KILOBYTES = 3000;

const [tarball] = process.argv.slice(2);
if (tarball === undefined) throw new Error('expected the path of a packed library');

const packed = execFileSync('tar', ['--list', '--file', tarball], { encoding: 'utf8' }).trim().split('\n').map((path) => path.replace(/^package\//, ''));
const kilobytes = Math.round(statSync(tarball).size / 1000);
const problems = packageProblems(packed, packageSources());
if (kilobytes >= LIMIT_KILOBYTES) problems.push(`${kilobytes} kB, and less than ${LIMIT_KILOBYTES} are allowed`);
problems.forEach((problem) => console.error(problem));
console.log(`the package: ${packed.length} files, ${kilobytes} kB, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
