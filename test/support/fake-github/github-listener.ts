import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPlace, refusal } from './access';
import type { Answer } from './answer';
import { failure, notFound } from './answer';
import type { Caller } from './credentials';
import { bearer } from './credentials';
import { replacement, withWrongTypes } from './fault-answer';
import type { FaultEffect, Faults } from './faults';
import type { Incoming } from './incoming';
import { NOT_JSON, readIncoming } from './incoming';
import { quotaExhausted } from './quota';
import { quotaOf } from './quota-of';
import type { RecordedRequest } from './request-log';
import type { Services } from './route';
import type { RoutedPath, Router } from './router';
import type { SecondaryLimits } from './secondary-limits';
import { secondaryLimitHit } from './secondary-limits';
import { destroy, send, sendHalf } from './send';

export interface Internals<S> {
  readonly services: Services;
  readonly router: Router;
  readonly faults: Faults<S>;
  readonly secondary: SecondaryLimits;
  /** what a fault that is a function is given */
  readonly state: S;
  readonly requests: RecordedRequest[];
}

interface Exchange {
  readonly incoming: Incoming;
  readonly caller: Caller;
  readonly record: RecordedRequest;
  readonly res: ServerResponse;
}

/** What happens to one request, from its first byte to the last one of the answer. */
export async function serveRequest<S>(internals: Internals<S>, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { services, requests, secondary, faults } = internals;
  const incoming = await readIncoming(req, services.world);
  const caller = services.credentials.identify(req.headers.authorization);
  const record = recordOf(incoming, caller, bearer(req.headers.authorization), services.now());
  requests.push(record);
  const exchange: Exchange = { incoming, caller, record, res };

  const key = callerKey(caller);
  secondary.enter(key);
  try {
    await answer(internals, exchange, faults.take(record));
  } finally {
    secondary.leave(key);
  }
}

async function answer<S>(internals: Internals<S>, exchange: Exchange, fault: FaultEffect<S> | undefined): Promise<void> {
  const { res, record, caller } = exchange;
  if (fault === 'reset') return destroy(res);
  if (fault === 'hang') return hang(res);
  if (typeof fault === 'function') fault(internals.state, record);
  if (typeof fault === 'object' && 'delayMs' in fault) await sleep(fault.delayMs, undefined, { ref: false });

  const account = quotaOf(caller);
  const replaced = fault === undefined ? undefined : replacement(fault, account, internals.services.now());
  const plain = normalAnswer(internals, exchange, replaced);
  if (fault === 'resetAfter') return destroy(res);

  const { quota } = internals.services;
  const headers = {
    ...(account && quota.enabled && quota.headers(account.key, account.limit)),
    ...plain.headers,
    ...(typeof fault === 'object' && 'headers' in fault && fault.headers),
  };
  const body = fault === 'wrongTypes' ? withWrongTypes(plain.body) : plain.body;
  const whole = { status: plain.status, body, headers };
  record.status = plain.status;
  if (fault === 'cutBody') return sendHalf(res, whole, internals.services.now());
  send(res, whole, internals.services.now());
}

async function hang(res: ServerResponse): Promise<void> {
  if (!res.destroyed) await once(res, 'close');
}

/** Limits come first, then the fault's answer or the endpoint's own: a failing request costs quota too. */
function normalAnswer<S>(internals: Internals<S>, { incoming, caller, record }: Exchange, replaced: Answer | undefined): Answer {
  const { services, router, secondary } = internals;
  const routed = router.find(incoming.method, incoming.path);
  const account = quotaOf(caller);
  if (secondary.refuses(callerKey(caller), incoming.method, routed?.route.template ?? incoming.path)) {
    record.refusedBy = 'secondary limit';
    return secondaryLimitHit({ 'retry-after': '60' });
  }
  if (account && services.quota.enabled && routed?.route.template !== '/rate_limit' && !services.quota.charge(account.key, account.limit)) {
    record.refusedBy = 'quota';
    return quotaExhausted(account.key);
  }
  return replaced ?? endpointAnswer(services, routed, incoming, caller);
}

function endpointAnswer(services: Services, routed: RoutedPath | undefined, incoming: Incoming, caller: Caller): Answer {
  if (!routed) return caller.kind === 'nobody' ? failure(caller.status, caller.message) : notFound();
  const { route, params } = routed;
  const place = findPlace(services.world, params);
  const refused = refusal(route.access, caller, place);
  if (refused) return refused;
  if (incoming.body === NOT_JSON) return failure(400, 'Problems parsing JSON');
  return route.serve({
    params, query: incoming.query, body: incoming.body, caller, place: place ?? undefined, self: incoming.self, api: incoming.api, services,
  });
}

function recordOf({ method, path, query, url }: Incoming, caller: Caller, token: string | undefined, at: number): RecordedRequest {
  const installation = caller.kind === 'installation' ? caller.grant.installation : undefined;
  const appId = caller.kind === 'app' ? caller.app.appId : installation?.app.appId;
  return {
    method,
    path,
    query: Object.fromEntries(query),
    url,
    ...(appId !== undefined && { appId }),
    ...(installation && { installationId: installation.id }),
    ...(token !== undefined && { token }),
    at,
    status: 0,
  };
}

function callerKey(caller: Caller): string {
  return quotaOf(caller)?.key ?? (caller.kind === 'app' ? `app ${caller.app.appId}` : 'nobody');
}
