import type { Answer } from './answer';
import type { Caller } from './caller';
import type { Credentials } from './credentials';
import type { Quota } from './quota';
import type { RegistrationBook } from './registration-book';
import type { Account, Repository, World } from './world';

/** Who may use an endpoint. `app`: with the App's JWT; `anyone`: with any good token; else a permission of the installation. */
export type Access =
  | 'app'
  | 'anyone'
  | { readonly permission: string; readonly level: 'read' | 'write'; readonly publicToo?: boolean }
  /** enterprise operations do not accept tokens of Apps */
  | 'enterpriseOwner';

export interface Route {
  readonly method: string;
  /** as in GitHub's OpenAPI description: `/orgs/{org}/actions/runners` */
  readonly template: string;
  readonly access: Access;
  serve(call: Call): Answer;
}

/** The organisation, enterprise or repository that a path speaks of. */
export interface Place {
  readonly book: RegistrationBook;
  readonly account: Account;
  readonly repository?: Repository;
}

export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly caller: Caller;
  /** undefined on paths that speak of none */
  readonly place: Place | undefined;
  /** this very address as GitHub's own links write it, with numeric ids */
  readonly self: URL;
  /** `http://127.0.0.1:1234/api/v3`, as this caller knows it */
  readonly api: string;
  readonly services: Services;
}

export interface Services {
  readonly world: World;
  readonly credentials: Credentials;
  readonly quota: Quota;
  readonly now: () => number;
  readonly settings: Settings;
  /** told of every runner that is really deleted */
  readonly deleted: (id: number) => void;
}

export interface Settings {
  /** true: like an old GHES, without group ids, versions and the filter by name */
  olderServer: boolean;
}

export function placeOf(call: Call): Place {
  if (!call.place) throw new Error(`${call.self.pathname} speaks of no organisation, enterprise or repository`);
  return call.place;
}
