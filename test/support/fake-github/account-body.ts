import type { Account } from './world';

const SINCE = '2026-01-01T00:00:00Z';

/** An organisation, user or enterprise as it appears inside other answers. */
export function account(api: string, { id, login, kind }: Account): unknown {
  const nodeId = Buffer.from(`0:${kind}${id}`).toString('base64');
  const avatar = `https://avatars.githubusercontent.com/u/${id}?v=4`;
  if (kind === 'enterprise') {
    return {
      id, slug: login, name: login, node_id: nodeId, avatar_url: avatar, html_url: `https://github.com/enterprises/${login}`, created_at: SINCE, updated_at: SINCE,
    };
  }
  const url = `${api}/users/${login}`;
  return {
    login,
    id,
    node_id: nodeId,
    avatar_url: avatar,
    gravatar_id: '',
    url,
    html_url: `https://github.com/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: kind === 'user' ? 'User' : 'Organization',
    site_admin: false,
  };
}
