import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/** Who has given a function which variable. A function cannot be asked for its environment. */
const givers = new WeakMap<lambda.Function, Map<string, Construct>>();

/**
 * Adds the variables of a construct to the function of somebody else.
 *
 * @throws when another construct has given it the same variable: the first one would silently be cut off
 */
export function attachVariables(owner: Construct, fn: lambda.Function, variables: Record<string, string>): void {
  const given = givers.get(fn) ?? new Map<string, Construct>();
  givers.set(fn, given);
  for (const [name, value] of Object.entries(variables)) {
    const giver = given.get(name);
    if (giver && giver !== owner) {
      throw new Error(`${fn.node.path} has ${name} from ${giver.node.path} already, ${owner.node.path} would replace it: `
        + 'grant the permission alone and add a variable of another name');
    }
    given.set(name, owner);
    fn.addEnvironment(name, value);
  }
}
