import { playDetector } from './play-detector';
import { playJanitor } from './play-janitor';
import { Screen } from './screen';

/** `npx projen demo`. */
async function demo(): Promise<number> {
  const screen = new Screen();
  const problems = [...await playJanitor(screen), ...await playDetector(screen)];
  return problems.length === 0 ? 0 : 1;
}

demo().then((code) => { process.exitCode = code; }, (error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
