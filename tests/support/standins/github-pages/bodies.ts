import {
  type BuildRecord,
  type CommitRecord,
  type GithubCall,
  OWNER,
  type PagesRecord,
  type RepositoryRecord,
  SITES_DOMAIN,
} from './state.ts';

const AT = '2026-07-01T10:00:00Z';
const LINKS = [
  'archive assignees blobs branches collaborators comments commits compare contents contributors deployments',
  'downloads events forks git_commits git_refs git_tags hooks issue_comment issue_events issues keys labels languages',
  'merges milestones notifications pulls releases stargazers statuses subscribers subscription tags teams trees',
]
  .join(' ')
  .split(' ');
const USER_LINKS =
  'avatar events followers following gists html organizations received_events repos starred subscriptions'.split(' ');

export function userBody({ origin }: GithubCall, login: string): Record<string, unknown> {
  const url = `${origin}/users/${login}`;
  return {
    login,
    id: 1,
    node_id: 'U_1',
    gravatar_id: '',
    url,
    type: 'User',
    site_admin: false,
    ...Object.fromEntries(USER_LINKS.map((name) => [`${name}_url`, `${url}/${name}`])),
  };
}

export function accountBody(call: GithubCall): Record<string, unknown> {
  const empty = ['company', 'blog', 'location', 'email', 'hireable', 'bio'];
  const counts = ['public_repos', 'public_gists', 'followers', 'following', 'private_gists', 'total_private_repos'];
  return {
    ...userBody(call, OWNER),
    name: 'Pat Example',
    ...Object.fromEntries(empty.map((name) => [name, null])),
    ...Object.fromEntries([...counts, 'owned_private_repos', 'disk_usage', 'collaborators'].map((name) => [name, 0])),
    two_factor_authentication: true,
    created_at: AT,
    updated_at: AT,
  };
}

export function organizationBody({ origin }: GithubCall, login: string): Record<string, unknown> {
  const url = `${origin}/orgs/${login}`;
  const links = ['repos', 'events', 'hooks', 'issues', 'members', 'public_members', 'avatar'];
  return {
    login,
    id: 2,
    node_id: 'O_2',
    url,
    description: null,
    ...Object.fromEntries(links.map((name) => [`${name}_url`, `${url}/${name}`])),
  };
}

export function repositoryBody(call: GithubCall, repository: RepositoryRecord): Record<string, unknown> {
  const { id, owner, name, description, isPrivate, branches, pages } = repository;
  const url = `${call.origin}/repos/${owner}/${name}`;
  const counts = ['forks', 'open_issues', 'watchers', 'stargazers'].flatMap((one) => [one, `${one}_count`]);
  return {
    id,
    node_id: `R_${id}`,
    name,
    full_name: `${owner}/${name}`,
    owner: userBody(call, owner),
    private: isPrivate,
    html_url: `https://github.com/${owner}/${name}`,
    clone_url: `https://github.com/${owner}/${name}.git`,
    git_url: `git://github.com/${owner}/${name}.git`,
    ssh_url: `git@github.com:${owner}/${name}.git`,
    svn_url: `https://github.com/${owner}/${name}`,
    mirror_url: null,
    description,
    fork: false,
    url,
    ...Object.fromEntries(LINKS.map((link) => [`${link}_url`, `${url}/${link}`])),
    ...Object.fromEntries(counts.map((count) => [count, 0])),
    homepage: null,
    language: null,
    license: null,
    size: 0,
    default_branch: [...branches.keys()][0] ?? 'main',
    has_issues: false,
    has_projects: false,
    has_wiki: false,
    has_pages: pages !== null,
    has_downloads: false,
    has_discussions: false,
    archived: false,
    disabled: false,
    pushed_at: AT,
    created_at: AT,
    updated_at: AT,
    network_count: 0,
    subscribers_count: 0,
    permissions: { admin: true, push: true, pull: true },
  };
}

export function refBody({ origin }: GithubCall, branch: string, sha: string): Record<string, unknown> {
  const url = `${origin}/git/refs/heads/${branch}`;
  return { ref: `refs/heads/${branch}`, node_id: 'REF_1', url, object: { type: 'commit', sha, url } };
}

export function commitBody({ origin }: GithubCall, commit: CommitRecord): Record<string, unknown> {
  const who = { name: 'Pat Example', email: 'pat@example.com', date: AT };
  const url = `${origin}/git/commits/${commit.sha}`;
  return {
    sha: commit.sha,
    node_id: 'C_1',
    url,
    html_url: url,
    author: who,
    committer: who,
    message: commit.message,
    tree: { sha: commit.tree, url: `${origin}/git/trees/${commit.tree}` },
    parents: commit.parents.map((sha) => ({ sha, url: `${origin}/git/commits/${sha}`, html_url: url })),
    verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
  };
}

export function buildBody(call: GithubCall, { commit, status, at }: BuildRecord): Record<string, unknown> {
  const message = status === 'errored' ? 'The site contains a symlink that was dereferenced incorrectly.' : null;
  return {
    url: `${call.origin}/pages/builds/1`,
    status,
    error: { message },
    pusher: userBody(call, OWNER),
    commit,
    duration: 21_000,
    created_at: new Date(at).toISOString(),
    updated_at: new Date(at).toISOString(),
  };
}

/** The website of `{owner}.github.io` is at the root (docs.github.com, "What is GitHub Pages"). */
export function folderOf({ owner, name }: Pick<RepositoryRecord, 'owner' | 'name'>): string {
  return name.toLowerCase() === `${owner}.github.io` ? '' : `/${name}`;
}

/** Returns the address of the repository's website, before it has a domain. */
export function ownAddress({ origin }: GithubCall, { owner, name }: RepositoryRecord): string {
  return `http://${owner}.${SITES_DOMAIN}:${new URL(origin).port}${folderOf({ owner, name })}/`;
}

const DAY_MS = 86_400_000;

export function pageBody(call: GithubCall, repository: RepositoryRecord, pages: PagesRecord): Record<string, unknown> {
  const { cname, certificate, builds } = pages;
  const newest = builds[0]?.status ?? null;
  const state = certificate?.[0] ?? 'approved';
  return {
    url: `${call.origin}/repos/${repository.owner}/${repository.name}/pages`,
    status: newest === null || ['built', 'errored'].includes(newest) ? newest : 'building',
    cname,
    custom_404: false,
    html_url: cname === null ? ownAddress(call, repository) : `http://${cname}/`,
    build_type: pages.buildType,
    source: { branch: pages.branch, path: pages.path },
    public: true,
    https_enforced: pages.isHttpsEnforced,
    protected_domain_state: null,
    ...(certificate !== null &&
      cname !== null && {
        https_certificate: {
          state,
          description: 'A certificate by Let’s Encrypt',
          domains: [cname],
          ...(state === 'approved' && { expires_at: new Date(Date.now() + 90 * DAY_MS).toISOString().slice(0, 10) }),
        },
      }),
  };
}
