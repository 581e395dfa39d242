import type { Response } from './client';
import type { Endpoint, NamedPlace } from './endpoints';
import { hasNextPage } from './pager';
import { parseRunnerPage } from './shapes';
import type { GroupKeyOf } from './shapes';
import type { Registration } from '../janitor/ports';

/** Sends one request through whatever session there is. */
export type Ask = (endpoint: Endpoint) => Promise<Response>;

/** The registrations of one place that bear exactly this name. */
export async function namedRunners(
  place: NamedPlace, name: string, groupKeyOf: GroupKeyOf, apiUrl: string, ask: Ask,
): Promise<readonly Registration[]> {
  for (let page = 1; ; page++) {
    const endpoint = place.page(page);
    const { headers, data } = await ask(endpoint);
    const { registrations } = parseRunnerPage(endpoint.what, data, groupKeyOf);
    const found = registrations.filter((registration) => registration.name === name);
    // older servers ignore the filter: they show others too, and the one that was asked for may be on any page
    const showsOthers = registrations.length > found.length;
    if (found.length > 0 || !showsOthers || !hasNextPage(endpoint.what, headers.link, apiUrl)) return found;
  }
}
