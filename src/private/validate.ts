import type { Duration } from 'aws-cdk-lib';
import { Token } from 'aws-cdk-lib';

/** What a text has to look like, and how an error says so. */
export interface TextRule {
  readonly pattern: RegExp;
  readonly allowed: string;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

export interface ListRule<T> {
  /** checks one item; it is told the item's own name, `regions[1]` */
  readonly item?: (property: string, item: T) => void;
  /** two items with the same key are duplicates; the item itself by default */
  readonly key?: (item: T) => unknown;
  readonly mayBeEmpty?: boolean;
}

/** Every error of the synth side has this form: the property, what is allowed, what it got. */
export function invalid(property: string, allowed: string, got: string): Error {
  return new Error(`'${property}' must be ${allowed}, got ${got}`);
}

/** A value as an error shows it; blanks are seen only between quotes. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** Tokens pass every check of this file: their value is not known before deployment. */
export function checkText(property: string, value: string, rule?: TextRule): void {
  if (Token.isUnresolved(value)) return;
  if (value.trim() === '') throw invalid(property, rule?.allowed ?? 'more than blanks', shown(value));
  if (rule && !rule.pattern.test(value)) throw invalid(property, rule.allowed, shown(value));
}

export function checkInteger(property: string, value: number, range: Range): void {
  if (Token.isUnresolved(value)) return;
  if (!Number.isSafeInteger(value) || outside(value, range)) {
    throw invalid(property, `an integer from ${range.min} to ${range.max}`, shown(value));
  }
}

export function checkNumber(property: string, value: number, range: Range): void {
  if (Token.isUnresolved(value)) return;
  if (!Number.isFinite(value) || outside(value, range)) throw invalid(property, `a number from ${range.min} to ${range.max}`, shown(value));
}

/** EventBridge counts in minutes, so that is what a schedule's interval has to be made of. */
export function checkInterval(property: string, value: Duration, seconds: Range): void {
  const allowed = `whole minutes from ${seconds.min / 60} minutes to ${seconds.max / 3600} hours`;
  if (value.isUnresolved()) {
    // rate(1 hours) and rate(1 days) are refused at deployment, and a token may be 1; fewer than 20 minutes are wrong anyway
    if (value.unitLabel() !== 'minutes') throw invalid(property, `${allowed}, as Duration.minutes(...) if it is a token`, `a token in ${value.unitLabel()}`);
    return;
  }
  const got = value.toSeconds({ integral: false });
  if (got % 60 !== 0 || outside(got, seconds)) throw invalid(property, allowed, value.toHumanString());
}

/**
 * The items of a list may be tokens. A list that is one token may not: the functions read lists as JSON, and writing an unknown
 * number of items as JSON takes a custom resource at deployment.
 */
export function checkList<T>(property: string, values: readonly T[], rule: ListRule<T> = {}): void {
  if (Token.isUnresolved(values)) throw invalid(property, 'written out item by item (an item may be a token)', 'a list that is one token');
  if (values.length === 0 && !rule.mayBeEmpty) throw invalid(property, 'a list of at least one item', 'none');
  const seen = new Set<unknown>();
  values.forEach((value, index) => {
    rule.item?.(`${property}[${index}]`, value);
    const key = rule.key ? rule.key(value) : value;
    if (seen.has(key)) throw invalid(`${property}[${index}]`, 'listed once', shown(typeof value === 'object' ? key : value));
    seen.add(key);
  });
}

function outside(value: number, { min, max }: Range): boolean {
  return value < min || value > max;
}
