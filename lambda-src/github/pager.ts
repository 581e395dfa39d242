import { TransientError } from '../shared/errors';

/**
 * Whether the `Link` header announces another page. The pages themselves are asked for by number: Octokit's own
 * pagination follows any link, token included.
 *
 * @throws TransientError when the next page is said to be at another origin
 */
export function hasNextPage(what: string, link: string | number | undefined, apiUrl: string): boolean {
  const next = nextLink(String(link ?? ''));
  if (next === undefined) return false;
  const { origin } = new URL(apiUrl);
  if (!URL.canParse(next, apiUrl)) throw new TransientError(`${what}: the link to the next page is not an address`);
  const target = new URL(next, apiUrl).origin;
  if (target !== origin) throw new TransientError(`${what}: the next page is said to be at ${target}, which is not ${origin}`);
  return true;
}

const LINK = /<([^>]*)>((?:\s*;\s*[\w*]+\s*=\s*(?:"[^"]*"|[^\s",;]+))*)/g;
const PARAMETER = /([\w*]+)\s*=\s*(?:"([^"]*)"|([^\s",;]+))/g;

/** RFC 8288: `<address>; rel="next"; title="..."`, any number of them, separated by commas. */
function nextLink(header: string): string | undefined {
  for (const [, address, parameters = ''] of header.matchAll(LINK)) {
    for (const [, name, quoted, bare = ''] of parameters.matchAll(PARAMETER)) {
      if (name === 'rel' && (quoted ?? bare).toLowerCase().split(/\s+/).includes('next')) return address;
    }
  }
  return undefined;
}
