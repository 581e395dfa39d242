import type { Context } from 'aws-lambda';
import { errorWithoutSecrets } from './without-secrets';

/**
 * The way out of every function: what a handler throws is written to the log by Lambda itself, past our logger, with its
 * stack, its fields and its causes.
 */
export function handling<Event, Result>(handle: (event: Event, context: Context) => Promise<Result>): typeof handle {
  return async (event, context) => {
    try {
      return await handle(event, context);
    } catch (error) {
      throw errorWithoutSecrets(error);
    }
  };
}
