import { isDeepStrictEqual } from 'node:util';

type Json = Record<string, any>;

/** What differs between two templates, resource by resource, as lines for a person; none if nothing does. */
export function templateDifferences(expected: Json, actual: Json): string[] {
  return namesIn(expected, actual).flatMap((section) => {
    if (section !== 'Resources') return differenceAt(section, expected[section], actual[section]);
    const [theirs, ours] = [expected.Resources ?? {}, actual.Resources ?? {}];
    return namesIn(theirs, ours).flatMap((id) => differenceAt(id, theirs[id], ours[id]));
  });
}

/** The deepest places at which the values differ. */
function differenceAt(place: string, expected: unknown, actual: unknown): string[] {
  if (isDeepStrictEqual(expected, actual)) return [];
  if (isObject(expected) && isObject(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    return namesIn(expected, actual).flatMap((key) => differenceAt(`${place}.${key}`, expected[key], actual[key]));
  }
  return [`${place}: expected ${shown(expected)}, got ${shown(actual)}`];
}

function namesIn(...objects: Json[]): string[] {
  return [...new Set(objects.flatMap((object) => Object.keys(object)))];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
