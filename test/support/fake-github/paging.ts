const DEFAULT_PER_PAGE = 30;
const MAX_PER_PAGE = 100;

export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

/** Nonsense in the query is no error at GitHub: defaults take its place. */
export function pageRequest(query: URLSearchParams): PageRequest {
  return {
    page: positive(query.get('page')) ?? 1,
    perPage: Math.min(positive(query.get('per_page')) ?? DEFAULT_PER_PAGE, MAX_PER_PAGE),
  };
}

/** Empty when there is only one page. `self` is the address of the list; its other parameters are kept. */
export function linkHeader(self: URL, page: number, lastPage: number): Record<string, string> {
  const links: string[] = [];
  const add = (rel: string, target: number) => {
    const url = new URL(self);
    url.searchParams.set('page', String(target));
    links.push(`<${url.href}>; rel="${rel}"`);
  };
  if (page > 1) add('prev', Math.min(page - 1, lastPage));
  if (page < lastPage) {
    add('next', page + 1);
    add('last', lastPage);
  }
  if (page > 1) add('first', 1);
  return links.length ? { link: links.join(', ') } : {};
}

/** For lists that are short enough to be cut on the spot. */
export function cut<T>(items: readonly T[], { page, perPage }: PageRequest): { items: readonly T[]; lastPage: number } {
  return { items: items.slice((page - 1) * perPage, page * perPage), lastPage: Math.max(1, Math.ceil(items.length / perPage)) };
}

function positive(text: string | null): number | undefined {
  const value = Number(text);
  return text !== null && Number.isInteger(value) && value > 0 ? value : undefined;
}
