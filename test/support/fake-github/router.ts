import { appRoutes } from './app-routes';
import { jobRoutes } from './job-routes';
import { rateLimitRoute } from './rate-limit-route';
import type { Route } from './route';
import { runnerRoutes } from './runner-routes';
import type { World } from './world';

export interface RoutedPath {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export class Router {
  readonly routes: readonly Route[] = [...runnerRoutes(), ...appRoutes(), ...jobRoutes(), rateLimitRoute()];

  private readonly patterns = this.routes.map((route) => ({ route, pattern: patternOf(route.template) }));

  find(method: string, path: string): RoutedPath | undefined {
    for (const { route, pattern } of this.patterns) {
      const match = route.method === method ? pattern.exec(path) : null;
      if (match) return { route, params: { ...match.groups } };
    }
    return undefined;
  }
}

/** The path with names in place of the numeric ids in GitHub's own links. */
export function pathByName(world: World, path: string): string {
  return path
    .replace(/^\/organizations\/(\d+)(?=\/)/, (whole, id: string) => {
      const account = world.accountById(Number(id));
      return account ? `/orgs/${account.login}` : whole;
    })
    .replace(/^\/repositories\/(\d+)(?=\/)/, (whole, id: string) => {
      const repository = world.repositoryById(Number(id));
      return repository ? `/repos/${repository.fullName}` : whole;
    });
}

/** The other way round. */
export function pathById(world: World, path: string): string {
  return path
    .replace(/^\/orgs\/([^/]+)/, (whole, login: string) => {
      const account = world.findAccount(login);
      return account ? `/organizations/${account.id}` : whole;
    })
    .replace(/^\/repos\/([^/]+\/[^/]+)/, (whole, fullName: string) => {
      const repository = world.findRepository(fullName);
      return repository ? `/repositories/${repository.id}` : whole;
    });
}

function patternOf(template: string): RegExp {
  const groups = template.replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${name.endsWith('_id') || name.endsWith('_number') ? '\\d+' : '[^/]+'})`);
  return new RegExp(`^${groups}$`);
}
