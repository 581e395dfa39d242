/** Whether an EventBridge pattern of plain values, `prefix` and `exists` selects this event; another operator is an error. */
export function matchesEventPattern(pattern: Readonly<Record<string, unknown>>, event: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(pattern).every(([key, expected]) => {
    const actual = event[key];
    if (Array.isArray(expected)) return expected.some((alternative) => [actual].flat().some((value) => matchesValue(alternative, value)));
    return typeof actual === 'object' && actual !== null
      && matchesEventPattern(expected as Record<string, unknown>, actual as Record<string, unknown>);
  });
}

function matchesValue(alternative: unknown, actual: unknown): boolean {
  if (typeof alternative !== 'object' || alternative === null) return alternative === actual;
  const [[operator, operand]] = Object.entries(alternative) as [[string, unknown]];
  if (operator === 'prefix') return typeof actual === 'string' && actual.startsWith(String(operand));
  if (operator === 'exists') return (actual !== undefined) === operand;
  throw new Error(`the local cloud does not know the pattern operator '${operator}'`);
}
