import { editedAssembly } from './edited-assembly';
import { BETWEEN_LOOKS_SECONDS, type JanitorStage } from './janitor-stage';

const EARLY_SECONDS = 60;

/** Somebody has shortened the delay, so that candidates arrive a minute too young: the only way to need every permission. */
export function impatient(assembly: string): string {
  return editedAssembly(assembly, ({ Resources }) => {
    for (const { Properties } of Object.values(Resources)) {
      if (Properties.DelaySeconds === BETWEEN_LOOKS_SECONDS) Properties.DelaySeconds = BETWEEN_LOOKS_SECONDS - EARLY_SECONDS;
    }
  });
}

/** Both looks of a janitor that is impatient; the candidates come to the second one twice. */
export async function impatientLooks(stage: JanitorStage): Promise<void> {
  await stage.firstLook();
  await stage.clock.advance(BETWEEN_LOOKS_SECONDS - EARLY_SECONDS);
  await stage.cloud.settle();
  await stage.clock.advance(EARLY_SECONDS);
  await stage.cloud.settle();
}
