/** A stretch of time that has begun, in milliseconds since the epoch. */
export interface Span {
  readonly since: number;
  readonly until: number;
}

export const OVER: Span = { since: 0, until: 0 };

/**
 * Over also when the clock was set back to before its beginning: how much of it has passed is not known then, and a warm process
 * must not stand still until the clock has caught up.
 */
export function isOver({ since, until }: Span, now: number): boolean {
  return now < since || now >= until;
}

/** When it ends; 0 when it is over. */
export function endOf(span: Span, now: number): number {
  return isOver(span, now) ? 0 : span.until;
}
