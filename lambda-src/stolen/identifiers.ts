import { RUNNER_NAME } from '../../src/contract/report-message';

/** Whether GitHub and Step Functions could both know a runner of that name. */
export function isRunnerName(value: unknown): value is string {
  return typeof value === 'string' && RUNNER_NAME.test(value);
}

/** `owner/name`. The dots matter: as part of a request's path, `..` would lead to another one. */
export function isRepository(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,100}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/.test(value);
}

/** GitHub's ids are positive integers; beyond 2^53 they would not survive JSON. */
export function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

export function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** A JSON object, or undefined for any other text. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isObject(value) ? value : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Enough of a stranger's value to recognise it, not enough to flood the log. JSON, because `String` would call what the value brings along. */
export function excerpt(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100);
}
