const last = new Map<number, Promise<unknown>>();

/**
 * One token exchange at a time for each installation id. Process-wide, because `@octokit/auth-app` keeps its pending
 * exchanges process-wide and by that id alone: two Apps, or two hosts, that ask at once would share one App's token.
 */
export async function inTurn<T>(installationId: number, exchange: () => Promise<T>): Promise<T> {
  const before = last.get(installationId) ?? Promise.resolve();
  const mine = before.then(exchange, exchange);
  last.set(installationId, mine);
  try {
    return await mine;
  } finally {
    if (last.get(installationId) === mine) last.delete(installationId);
  }
}
