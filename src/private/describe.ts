import type { Construct } from 'constructs';

/** Lambda refuses longer descriptions; those of rules, roles and alarms may be longer. */
const MAX_LENGTH = 256;

/** `[Stack/Janitor] what it does`: in the console, this says which construct a resource with a generated name belongs to. */
export function describe(owner: Construct, what: string): string {
  const room = MAX_LENGTH - what.length - '[] '.length;
  const path = owner.node.path;
  // the end of a path says more than its beginning
  const shown = path.length <= room ? path : `...${path.slice(path.length - room + '...'.length)}`;
  return `[${shown}] ${what}`;
}
