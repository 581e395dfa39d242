/** Every error this package throws on purpose; the subclass says what the caller can do about it. */
export class JanitorError extends Error {
  // names are written out because the bundler shortens those of classes, and logs and alarms are read by people
  override readonly name: string = 'JanitorError';
}

/** The environment, a secret or a parameter cannot be used as it is; trying again does not help before somebody mends it. */
export class ConfigurationError extends JanitorError {
  override readonly name = 'ConfigurationError';
}

/** A 5xx, a timeout, a broken connection, a cut or misshapen answer: says nothing about the thing asked for. */
export class TransientError extends JanitorError {
  override readonly name = 'TransientError';
}

/** A primary or secondary rate limit, and no other App could take over in the time left. */
export class LimitError extends JanitorError {
  override readonly name = 'LimitError';
}

/** Going on would use up the quota that is reserved for registering runners. Not a fault. */
export class QuotaReserveError extends JanitorError {
  override readonly name = 'QuotaReserveError';
}

/**
 * A write that was not carried out: there was no token for it, or GitHub knew the token no longer or not yet. By the time there is one that
 * works, what was read before is no longer the last word: it has to be read again.
 */
export class ReadAgainError extends JanitorError {
  override readonly name = 'ReadAgainError';
}

/** The credential may not do this; every other one was tried as well. */
export class PermissionError extends JanitorError {
  override readonly name = 'PermissionError';
}

/** A 404 from every credential that may still be asked. */
export class NotFoundError extends JanitorError {
  override readonly name = 'NotFoundError';
}

/** No credential is usable: every one failed to load, was refused, or is cooling down past the deadline. */
export class NoCredentialError extends JanitorError {
  override readonly name = 'NoCredentialError';
}

/** Too little time is left to start anything new. */
export class DeadlineError extends JanitorError {
  override readonly name = 'DeadlineError';
}

/** Input from outside (queue body, secret, log line) is not what its parser accepts. */
export class MalformedInputError extends JanitorError {
  override readonly name = 'MalformedInputError';
}

/** What a log line may say of an unknown error; never its cause chain, which can hold request headers. */
export function describeError(error: unknown): string {
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return String(error);
}
