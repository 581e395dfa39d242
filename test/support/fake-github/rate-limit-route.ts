import { notFound, ok } from './answer';
import { quotaOf } from './quota-of';
import type { Route } from './route';

/** Free of charge; a server without limits has no such path. */
export function rateLimitRoute(): Route {
  return {
    method: 'GET',
    template: '/rate_limit',
    access: 'anyone',
    serve: ({ caller, services: { quota } }) => {
      const account = quotaOf(caller);
      if (!quota.enabled || !account) return notFound();
      const core = quota.figures(account.key, account.limit);
      const search = { limit: 30, remaining: 30, reset: core.reset, used: 0 };
      return ok({ resources: { core, search }, rate: core });
    },
  };
}
