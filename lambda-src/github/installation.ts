import { Octokit } from '@octokit/core';
import { appJwt } from './app-jwt';
import { attempt, bearer } from './client';
import type { AppCredential } from './credentials';
import { hardenedFetch } from './fetch';
import type { FetchOptions } from './fetch';
import type { Clock } from '../shared/deadline';
import { TransientError } from '../shared/errors';

/**
 * Whether one of these Apps is installed on the repository: the Apps ask that themselves, because to a token of an
 * installation a repository outside of it looks as if it did not exist.
 *
 * @throws TransientError when one App gets no certain answer
 */
export async function isInstalled(repository: string, apps: readonly AppCredential[], connection: FetchOptions, now: Clock): Promise<boolean> {
  const octokit = new Octokit({ baseUrl: connection.apiUrl, userAgent: 'cdk-github-runner-janitor', request: { fetch: hardenedFetch(connection) }, log: SILENT });
  const [owner = '', repo = ''] = repository.split('/');
  const answers = await Promise.all(apps.map(async ({ name, appId, key }) => {
    const { jwt } = await appJwt(key, now)(appId);
    const reply = await attempt(() => octokit.request('GET /repos/{owner}/{repo}/installation', { owner, repo, ...bearer(jwt) }), now);
    if (reply.kind === 'answer') return true;
    if (reply.kind === 'notFound') return false;
    throw new TransientError(`GET /repos/${repository}/installation (${name}): ${reply.message}`, { cause: reply.cause });
  }));
  return answers.includes(true);
}

const ignore = () => {};
/** every failure is judged and logged once, by whoever asks */
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };
