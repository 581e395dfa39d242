import { playJanitor } from './play-janitor';
import { Screen } from './screen';

/** `npx projen demo`. */
playJanitor(new Screen()).then((problems) => { process.exitCode = problems.length === 0 ? 0 : 1; }, (error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
