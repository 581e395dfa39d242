import { Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { invalid } from './validate';
import { DETECTOR_ENV } from '../contract/detector-config';
import { CANDIDATE_SENDER_ENV, JANITOR_ENV, NOMINATION_TAGS_ENV } from '../contract/janitor-config';

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
const MAX_BYTES = 4096;

/** What the functions read; some of it is set only later or not at all, and the user's part would then be taken for ours. */
const OURS: ReadonlySet<string> = new Set([...Object.values(JANITOR_ENV), CANDIDATE_SENDER_ENV, NOMINATION_TAGS_ENV, ...Object.values(DETECTOR_ENV)]);

/** What the construct sets, and what the user adds to it; the user's part can replace nothing. */
export function handlerEnvironment(own: Record<string, string>, added: Record<string, string> = {}): Record<string, string> {
  for (const name of Object.keys(added)) {
    if (OURS.has(name) || name in own) throw invalid('environment', 'free of variables that the construct itself sets', name);
  }
  const all = { ...added, ...own };
  checkSize(all);
  return all;
}

/** Writes a value as JSON; tokens in it are resolved at deployment. */
export function jsonVariable(scope: Construct, value: unknown): string {
  const stack = Stack.of(scope);
  const text = stack.toJsonString(value);
  // toJsonString always returns a token; without one in the value, its plain text can be measured
  const resolved: unknown = stack.resolve(text);
  return typeof resolved === 'string' ? resolved : text;
}

function checkSize(variables: Record<string, string>): void {
  // how long the value of a token is will only be known at deployment
  const sizes = Object.entries(variables)
    .map(([name, value]) => ({ name, bytes: Buffer.byteLength(name) + (Token.isUnresolved(value) ? 0 : Buffer.byteLength(value)) }))
    .sort((a, b) => b.bytes - a.bytes);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > MAX_BYTES) {
    throw new Error(`the environment of a function must not exceed Lambda's ${MAX_BYTES} bytes, got at least ${total}, `
      + `of which ${sizes[0]!.name} takes ${sizes[0]!.bytes}: shorten its list, or split it over two constructs`);
  }
}
