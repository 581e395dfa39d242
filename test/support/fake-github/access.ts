import type { Answer } from './answer';
import { failure, notAccessible, notFound, suspended } from './answer';
import type { Caller, Grant } from './caller';
import type { Access, Place } from './route';
import type { World } from './world';

/** The place a path speaks of; null: there is none by that name, and undefined: the path speaks of no place. */
export function findPlace(world: World, params: Readonly<Record<string, string>>): Place | null | undefined {
  if (params.repo !== undefined) {
    const repository = world.findRepository(`${params.owner}/${params.repo}`);
    return repository ? { book: repository.book, account: repository.owner, repository } : null;
  }
  const login = params.org ?? params.enterprise ?? params.username;
  if (login === undefined) return undefined;
  const account = world.findAccount(login);
  const kind = params.org !== undefined ? 'organization' : params.enterprise !== undefined ? 'enterprise' : undefined;
  return account && (kind === undefined || account.kind === kind) ? { book: account.book, account } : null;
}

/** The refusal, if this caller may not do this. */
export function refusal(access: Access, caller: Caller, place: Place | null | undefined): Answer | undefined {
  if (caller.kind === 'nobody') return failure(caller.status, caller.message);
  if (access === 'app') return caller.kind === 'app' ? undefined : failure(401, 'A JSON web token could not be decoded');
  if (caller.kind === 'app') return failure(401, 'Bad credentials');
  if (caller.kind === 'installation' && caller.grant.installation.app.suspended) return suspended();
  if (access === 'anyone') return undefined;
  if (access === 'enterpriseOwner') {
    if (caller.kind === 'installation') return notAccessible(undefined);
    return place ? undefined : notFound();
  }
  if (!place) return notFound();
  if (caller.kind === 'user' || (access.publicToo && place.repository?.private === false)) return undefined;
  // what a caller may not know of does not exist for it
  if (!covers(caller.grant, place)) return notFound();
  return allows(caller.grant, access) ? undefined : notAccessible(`${access.permission}=${access.level}`);
}

function covers(grant: Grant, place: Place): boolean {
  if (grant.installation.account !== place.account) return false;
  return !place.repository || !grant.repositories || grant.repositories.has(place.repository.fullName.toLowerCase());
}

function allows(grant: Grant, access: { readonly permission: string; readonly level: 'read' | 'write' }): boolean {
  const granted = grant.permissions[access.permission];
  return granted === 'write' || granted === access.level;
}
