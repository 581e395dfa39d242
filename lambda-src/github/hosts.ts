import { ConfigurationError } from '../shared/errors';

const ALLOWED = 'https://github.com, https://<tenant>.ghe.com or https://<host of a GitHub Enterprise Server>';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** `<tenant>.ghe.com`: Enterprise Cloud with data residency, whose API has a host name of its own. */
const DATA_RESIDENCY = /^(?:api\.)?([a-z0-9-]+)\.ghe\.com$/;

const GITHUB_COM: readonly string[] = ['github.com', 'www.github.com', 'api.github.com'];

/**
 * The base of the REST API, without a slash at its end. Nothing, or only blanks, is github.com.
 *
 * @throws ConfigurationError naming the value and the allowed forms
 */
export function apiUrl(githubUrl: string | undefined): string {
  const text = (githubUrl ?? '').trim();
  if (text === '') return 'https://api.github.com';
  const url = parse(text);
  if (GITHUB_COM.includes(url.host)) return rootOnly(url, text, 'https://api.github.com');
  const tenant = DATA_RESIDENCY.exec(url.host)?.[1];
  if (tenant) return rootOnly(url, text, `https://api.${tenant}.ghe.com`);
  if (!/^\/(api\/v3\/?)?$/.test(url.pathname)) throw unusable(text, 'the path must be empty or /api/v3');
  return `${url.origin}/api/v3`;
}

/** The address of a host that a secret names, with or without its scheme. */
export function urlOfDomain(domain: string): string {
  return domain.includes('://') ? domain : `https://${domain}`;
}

function parse(text: string): URL {
  if (!URL.canParse(text)) throw unusable(text, 'it is not an address');
  const url = new URL(text);
  // never repeated in the message: it would show a password
  if (url.username || url.password) throw new ConfigurationError(`'githubUrl' must not hold a user name or password, allowed: ${ALLOWED}`);
  if (url.search || url.hash) throw unusable(text, 'it must have neither query nor fragment');
  const loopback = url.protocol === 'http:' && LOOPBACK.test(url.hostname);
  if (url.protocol !== 'https:' && !loopback) throw unusable(text, 'tokens travel over https only');
  return url;
}

function rootOnly(url: URL, text: string, api: string): string {
  if (url.protocol !== 'https:') throw unusable(text, 'tokens travel over https only');
  if (url.pathname !== '/') throw unusable(text, 'the path must be empty');
  return api;
}

function unusable(text: string, why: string): ConfigurationError {
  return new ConfigurationError(`'githubUrl' must be ${ALLOWED}, got '${text}': ${why}`);
}
