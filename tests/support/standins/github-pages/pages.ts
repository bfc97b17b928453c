import * as z from 'zod/mini';
import { at, type Reply, type Route } from '../stand-in.ts';
import { buildBody, pageBody } from './bodies.ts';
import {
  advance,
  type GithubCall,
  type GithubState,
  json,
  keepBlob,
  keepCommit,
  keepTree,
  moveBranch,
  NOT_THERE,
  OWNER,
  type PagesRecord,
  type RepositoryRecord,
  refused,
  SITES_DOMAIN,
  startBuild,
  withRepository,
} from './state.ts';

const HOST = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*$/;
const ADDRESSES = [108, 109, 110, 111].map((last) => `185.199.${last}.153`);
const AAAA = /^2606:50c0:800[0-3]::153$/;

const sourceSchema = z.object({ branch: z.string(), path: z.optional(z.enum(['/', '/docs'])) });
const createSchema = z.object({ build_type: z.optional(z.string()), source: sourceSchema });
const changeSchema = z.object({
  cname: z.optional(z.nullable(z.string())),
  https_enforced: z.optional(z.boolean()),
  build_type: z.optional(z.string()),
  source: z.optional(sourceSchema),
});

const AT = '/repos/{owner}/{repo}/pages';

/** The website of a repository, its builds and its domain (docs.github.com/rest/pages). */
export const PAGES_ROUTES: readonly Route<GithubState>[] = [
  at('GET', AT, 'domains', async (call) => withPages(call, (pages, one) => read(call, pages, one))),
  at('POST', AT, 'site', async (call) => withRepository(call, (one) => create(call, one))),
  at('PUT', AT, 'attach', async (call) => withPages(call, (pages, one) => change(call, pages, one))),
  at('DELETE', AT, 'remove', async (call) =>
    withPages(call, (_pages, repository) => {
      repository.pages = null;
      return { status: 204 };
    }),
  ),
  at('GET', `${AT}/builds`, 'state', async (call) =>
    withPages(call, ({ builds }, repository) => {
      if (repository.pages !== null) advance(repository, repository.pages);
      return { status: 200, body: builds.map((build) => buildBody(call, build)) };
    }),
  ),
  at('POST', `${AT}/builds`, 'state', async (call) =>
    withPages(call, (pages, { branches }) => {
      startBuild(pages, { commit: branches.get(pages.branch) ?? '', at: call.state.now() });
      return { status: 201, body: { url: `${call.origin}/pages/builds/latest`, status: 'queued' } };
    }),
  ),
  at('GET', `${AT}/builds/latest`, 'state', async (call) =>
    withPages(call, (pages, repository) => {
      advance(repository, pages);
      const [latest] = pages.builds;
      return latest === undefined ? NOT_THERE : { status: 200, body: buildBody(call, latest) };
    }),
  ),
  at('GET', `${AT}/health`, 'certificate', async (call) => withPages(call, (pages) => health(call, pages))),
];

function withPages(call: GithubCall, work: (pages: PagesRecord, repository: RepositoryRecord) => Reply): Reply {
  return withRepository(call, (repository) =>
    repository.pages === null ? NOT_THERE : work(repository.pages, repository),
  );
}

function create(call: GithubCall, repository: RepositoryRecord): Reply {
  const { build_type: buildType = 'legacy', source } = json(createSchema, call.body);
  if (repository.pages !== null) return refused(409, 'GitHub Pages is already enabled.');
  if (repository.isPrivate) {
    return refused(422, 'Your current plan does not support GitHub Pages for this repository.');
  }
  const head = repository.branches.get(source.branch);
  if (head === undefined)
    return refused(422, `The ${source.branch} branch must exist before GitHub Pages can be built.`);
  const pages: PagesRecord = {
    branch: source.branch,
    path: source.path ?? '/',
    buildType,
    cname: null,
    isHttpsEnforced: false,
    builds: [],
    live: null,
    certificate: null,
    healthLooks: 0,
  };
  repository.pages = pages;
  const commit = { commit: head, at: call.state.now(), states: repository.nextStates };
  if (!call.state.quirks.noBuild) startBuild(pages, commit);
  return { status: 201, body: pageBody(call, repository, pages) };
}

function read(call: GithubCall, pages: PagesRecord, repository: RepositoryRecord): Reply {
  const body = pageBody(call, repository, pages);
  const isKnown = pages.certificate === null || KNOWN.includes(pages.certificate[0] ?? 'approved');
  if (pages.certificate !== null) pages.certificate.shift();
  return { status: 200, body, ...(!isKnown && { isUndescribed: true }) };
}

const KNOWN: readonly string[] = [
  'new',
  'authorization_created',
  'authorization_pending',
  'authorized',
  'issued',
  'uploaded',
  'approved',
];

function change(call: GithubCall, pages: PagesRecord, repository: RepositoryRecord): Reply {
  const { state, states } = call;
  const body = json(changeSchema, call.body);
  if (body.cname !== undefined) {
    const fault = body.cname === null ? null : faultOf(state, repository, body.cname);
    if (fault !== null) return fault;
    setDomain(state, pages, repository, body.cname);
    state.certificateStates = states;
  }
  if (body.https_enforced === true) {
    const isReady = pages.certificate !== null && pages.certificate.length === 0;
    if (!isReady) return refused(404, 'The certificate does not exist yet');
    pages.isHttpsEnforced = true;
  }
  if (body.source !== undefined) {
    Object.assign(pages, { branch: body.source.branch, path: body.source.path ?? '/' });
    pages.buildType = body.build_type ?? pages.buildType;
    startBuild(pages, { commit: repository.branches.get(pages.branch) ?? '', at: state.now() });
  }
  return { status: 204 };
}

function faultOf({ repositories, elsewhere }: GithubState, own: RepositoryRecord, cname: string): Reply | null {
  if (!HOST.test(cname)) return refused(400, `The custom domain \`${cname}\` is not properly formatted.`);
  const isTaken = [...repositories.values()].some((one) => one !== own && namesOf(one).includes(cname));
  if (!isTaken && !elsewhere.has(cname)) return null;
  return refused(
    400,
    `The custom domain \`${cname}\` is already taken. If you are the owner of this domain, check out https://docs.github.com/pages for information about how to verify and release this domain.`,
  );
}

/** Written into the branch, as a commit of GitHub's own on top. */
function setDomain(state: GithubState, pages: PagesRecord, repository: RepositoryRecord, cname: string | null): void {
  Object.assign(pages, { cname, certificate: null, healthLooks: 0, isHttpsEnforced: false });
  const head = repository.branches.get(pages.branch);
  const commit = repository.commits.get(head ?? '');
  if (head === undefined || commit === undefined) return;
  const files = new Map(repository.trees.get(commit.tree));
  if (cname === null) files.delete('CNAME');
  else files.set('CNAME', keepBlob(repository, Buffer.from(cname)));
  const message = cname === null ? 'Delete CNAME' : 'Create CNAME';
  const { sha } = keepCommit(repository, { tree: keepTree(repository, files), message, parents: [head] });
  moveBranch(state, repository, pages.branch, { sha });
}

/** Returns the domain of the website and the counterpart that GitHub adds. */
export function namesOf({ pages }: RepositoryRecord): string[] {
  const { cname = null } = pages ?? {};
  if (cname === null) return [];
  if (cname.split('.').length === 2) return [cname, `www.${cname}`];
  return cname.startsWith('www.') && cname.split('.').length === 3 ? [cname, cname.slice(4)] : [cname];
}

function health({ state }: GithubCall, pages: PagesRecord): Reply {
  const { cname } = pages;
  if (cname === null) return refused(422, 'There is no domain to check.');
  pages.healthLooks += 1;
  if (pages.healthLooks === 1) return { status: 202, body: {} };
  const here = state.zone.filter(({ name }) => name === cname);
  const leadsHere = here.every(
    ({ value }) => [...ADDRESSES, `${OWNER}.${SITES_DOMAIN}`].includes(value) || AAAA.test(value),
  );
  const isValid = here.length > 0 && leadsHere;
  if (isValid)
    pages.certificate ??= state.certificateStates.length > 0 ? [...state.certificateStates] : ['new', 'authorized'];
  const domain = { host: cname, uri: `http://${cname}/`, nameservers: 'default', dns_resolves: here.length > 0 };
  return { status: 200, body: { domain: { ...domain, is_valid_domain: true, is_valid: isValid }, alt_domain: null } };
}
