import { HOUR_MS, type RequestLimit } from '../limits.ts';
import type { Page, StandIn, StandInOptions } from '../stand-in.ts';
import { startStandIn } from '../stand-in.ts';
import { folderOf } from './bodies.ts';
import { GIT_ROUTES } from './git.ts';
import { PAGES_ROUTES } from './pages.ts';
import { REPOSITORY_ROUTES } from './repositories.ts';
import { createState, type GithubState, NOT_THERE, type RepositoryRecord, refused, SITES_DOMAIN } from './state.ts';

const NO_SITE: Page = { status: 404, bytes: Buffer.from("There isn't a GitHub Pages site here.") };

/** docs.github.com, "Rate limits for the REST API": of a person's token. What creates content is counted in `writing`. */
const LIMIT: RequestLimit = {
  most: 5_000,
  inMs: HOUR_MS,
  refusal: (waitMs, nowMs) => ({
    ...refused(403, 'API rate limit exceeded for user ID 1.'),
    headers: {
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil((nowMs + waitMs) / 1_000)),
    },
  }),
};

/**
 * GitHub's API, held to its published description (npm @octokit/openapi 23.0.2), with the websites of repositories at
 * `{owner}.github.localhost/{repository}/`.
 */
export function startGithub(more: Partial<StandInOptions<GithubState>> = {}): Promise<StandIn<GithubState>> {
  return startStandIn<GithubState>({
    state: createState(),
    description: 'github-pages',
    limits: [LIMIT],
    routes: [...REPOSITORY_ROUTES, ...PAGES_ROUTES, ...GIT_ROUTES],
    refusals: { token: refused(401, 'Bad credentials'), unknown: NOT_THERE },
    visit: async (state, host, path) => visit(state, host, decodeURIComponent(path)),
    ...more,
  });
}

/** Returns the page for a visitor: the file, the page of its folder, or the website's page for missing ones. */
function visit({ repositories }: GithubState, host: string, path: string): Page {
  for (const repository of repositories.values()) {
    const { owner, pages } = repository;
    const folder = folderOf(repository);
    const below = host === `${owner}.${SITES_DOMAIN}` && `${path}/`.startsWith(`${folder}/`);
    if (pages?.live == null) continue;
    if (below && pages.cname !== null) {
      const location = `http://${pages.cname}${path.slice(folder.length)}`;
      return { status: 301, bytes: Buffer.alloc(0), headers: { location } };
    }
    if (below) return pageOf(repository, pages.live, path.slice(folder.length));
    if (host === pages.cname) return pageOf(repository, pages.live, path);
  }
  return NO_SITE;
}

/**
 * Returns the page at this path. Without `.nojekyll`, names that begin with an underscore or a dot are no part of the
 * website.
 */
function pageOf({ trees, blobs }: RepositoryRecord, tree: string, path: string): Page {
  const files = trees.get(tree) ?? new Map<string, string>();
  const isPlain = files.has('.nojekyll');
  const read = (name: string): Buffer | undefined =>
    isPlain || !/(^|\/)[._]/.test(name) ? blobs.get(files.get(name) ?? '') : undefined;
  const name = path.replace(/^\//, '');
  const asked =
    name === '' || name.endsWith('/') ? [`${name}index.html`] : [name, `${name}.html`, `${name}/index.html`];
  for (const one of asked) {
    const bytes = read(one);
    if (bytes !== undefined) return { status: 200, bytes, headers: { 'cache-control': 'max-age=600' } };
  }
  return { status: 404, bytes: read('404.html') ?? Buffer.from('404: File not found') };
}
