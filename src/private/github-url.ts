import { Token } from 'aws-cdk-lib';
import { invalid, shown } from './validate';
import type { CredentialsConfig } from '../contract/janitor-config';

const ALLOWED = 'the https URL of a GitHub host like https://github.com or https://github.example.com, without path, query or login';

/**
 * The host that the functions talk to; undefined if the secret of cdk-github-runners is to name it.
 *
 * @throws when it is not https, or more than a host
 */
export function githubHost(githubUrl: string | undefined, credentials: CredentialsConfig): string | undefined {
  if (githubUrl === undefined) return credentials.kind === 'cdkGithubRunners' ? undefined : 'https://github.com';
  if (!Token.isUnresolved(githubUrl) && !isHost(githubUrl)) {
    // a login in it is a secret
    throw invalid('githubUrl', ALLOWED, githubUrl.includes('@') ? 'a URL with a login' : shown(githubUrl));
  }
  return githubUrl;
}

function isHost(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host, pathname, username, password, search, hash } = new URL(text);
  // the manual of GitHub Enterprise Server shows the API's base, which people copy
  const isServer = !/(^|\.)(github|ghe)\.com$/.test(host);
  const isRoot = pathname === '/' || (isServer && /^\/api\/v3\/?$/.test(pathname));
  return protocol === 'https:' && isRoot && !username && !password && !search && !hash;
}
