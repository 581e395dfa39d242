/**
 * One outbound call that ends when the signal says so, whatever the client library is doing at that moment: a library
 * that waits between retries, or for credentials, looks at the signal only afterwards.
 */
export async function abortable<T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let giveUp: () => void;
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([call(signal), aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp!);
  }
}
