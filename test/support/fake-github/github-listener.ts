import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPlace, refusal } from './access';
import type { Answer } from './answer';
import { failure, notFound } from './answer';
import type { Caller } from './caller';
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
  /** undefined: no endpoint is there */
  readonly routed: RoutedPath | undefined;
  readonly caller: Caller;
  readonly record: RecordedRequest;
  readonly res: ServerResponse;
}

/** What happens to one request, from its first byte to the last one of the answer. */
export async function serveRequest<S>(internals: Internals<S>, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { services, router, requests, secondary, faults } = internals;
  const incoming = await readIncoming(req, services.world);
  const caller = services.credentials.identify(req.headers.authorization);
  const record = recordOf(incoming, caller, bearer(req.headers.authorization), services.now());
  requests.push(record);
  const exchange: Exchange = { incoming, routed: router.find(incoming.method, incoming.path), caller, record, res };

  const key = callerKey(caller);
  secondary.enter(key);
  try {
    const refused = limitRefusal(internals, exchange);
    if (refused) reply(services, exchange, refused, undefined);
    else await serveUnlessFaulty(internals, exchange, faults.take(record));
  } finally {
    secondary.leave(key);
  }
}

/** Comes before everything else: a request that fails for another reason has cost quota too. */
function limitRefusal<S>({ services, secondary }: Internals<S>, { incoming, routed, caller, record }: Exchange): Answer | undefined {
  const endpoint = routed?.route.template ?? incoming.path;
  if (secondary.refuses(callerKey(caller), incoming.method, endpoint)) {
    record.refusedBy = 'secondary limit';
    return secondaryLimitHit({ 'retry-after': '60' });
  }
  const account = quotaOf(caller);
  if (!account || !services.quota.enabled || endpoint === '/rate_limit' || services.quota.charge(account.key, account.limit)) return undefined;
  record.refusedBy = 'quota';
  return quotaExhausted(account.key);
}

async function serveUnlessFaulty<S>(internals: Internals<S>, exchange: Exchange, fault: FaultEffect<S> | undefined): Promise<void> {
  const { services, state } = internals;
  const { res, record, caller } = exchange;
  if (fault === 'reset') return destroy(res);
  if (fault === 'hang') return hang(res);
  if (typeof fault === 'function') fault(state, record);
  if (typeof fault === 'object' && 'delayMs' in fault) await sleep(fault.delayMs, undefined, { ref: false });

  const replaced = fault === undefined ? undefined : replacement(fault, quotaOf(caller), services.now());
  reply(services, exchange, replaced ?? endpointAnswer(services, exchange), fault);
}

async function hang(res: ServerResponse): Promise<void> {
  if (!res.destroyed) await once(res, 'close');
}

function endpointAnswer(services: Services, { routed, incoming, caller }: Exchange): Answer {
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

function reply<S>({ quota, now }: Services, { caller, record, res }: Exchange, plain: Answer, fault: FaultEffect<S> | undefined): void {
  const { status, body, headers } = plain;
  if (fault === 'resetAfter') return destroy(res);
  const account = quotaOf(caller);
  const answer = {
    status,
    body: fault === 'wrongTypes' ? withWrongTypes(body) : body,
    headers: {
      ...(account && quota.enabled && quota.headers(account.key, account.limit)),
      ...headers,
      ...(typeof fault === 'object' && 'headers' in fault && fault.headers),
    },
  };
  record.status = status;
  if (fault === 'cutBody') sendHalf(res, answer, now());
  else send(res, answer, now());
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
