import { createHash } from 'node:crypto';
import type * as z from 'zod/mini';
import { gitBlobHash } from '../../../../server/publishing/platforms/git/blob.ts';
import type { Reply, StandInCall } from '../stand-in.ts';

/** The state of the played GitHub. Objects belong to a repository, as there; a tree is the files of all its folders. */
export type GithubState = {
  repositories: Map<string, RepositoryRecord>;
  /** Domains of other accounts. */
  elsewhere: Set<string>;
  /** The records that name servers answer. */
  zone: { type: string; name: string; value: string }[];
  /** Contents that were sent, in a tree or as a blob, by repository; a person's own, without what GitHub reads itself. */
  sent: number;
  /** Requests that created content, by their time. */
  writes: number[];
  now(): number;
  /** The states of the next website's certificate. */
  certificateStates: readonly string[];
  scopes: string;
  quirks: {
    /** A build has to be asked for. */
    noBuild?: boolean;
    /** The end of the token, as a header of its answers states it. */
    tokenEndsAt?: string;
  };
};

export type RepositoryRecord = {
  id: number;
  owner: string;
  name: string;
  description: string | null;
  isPrivate: boolean;
  blobs: Map<string, Buffer>;
  /** Path to blob, by the id of the tree. */
  trees: Map<string, ReadonlyMap<string, string>>;
  commits: Map<string, CommitRecord>;
  branches: Map<string, string>;
  pages: PagesRecord | null;
  /** The states of the first build, named before there is a website. */
  nextStates: readonly string[];
};

export type CommitRecord = { sha: string; tree: string; message: string; parents: readonly string[] };

export type PagesRecord = {
  branch: string;
  path: string;
  buildType: string;
  cname: string | null;
  isHttpsEnforced: boolean;
  /** Newest first. */
  builds: BuildRecord[];
  /** The tree that visitors get. */
  live: string | null;
  /** States before `approved`; null without a domain whose records lead there. */
  certificate: string[] | null;
  /** Looks at the health of the domain: the first begins one. */
  healthLooks: number;
};

export type BuildRecord = { commit: string; ahead: string[]; status: string; at: number };
export type GithubCall = StandInCall<GithubState>;

export const OWNER = 'pat';
export const ORGANIZATION = 'harbour';
export const SITES_DOMAIN = 'github.localhost';

export function createState(): GithubState {
  return {
    repositories: new Map(),
    elsewhere: new Set(),
    zone: [],
    sent: 0,
    writes: [],
    now: () => Date.now(),
    certificateStates: [],
    scopes: 'repo, delete_repo',
    quirks: {},
  };
}

const DOCS = 'https://docs.github.com/rest';
export const NOT_THERE: Reply = {
  status: 404,
  body: { message: 'Not Found', documentation_url: DOCS, status: '404' },
};

export function refused(status: number, message: string, detail?: string): Reply {
  const errors = detail === undefined ? {} : { errors: [{ resource: 'Repository', code: 'custom', message: detail }] };
  return { status, body: { message, ...errors, documentation_url: DOCS, status: String(status) } };
}

export function withRepository(call: GithubCall, work: (repository: RepositoryRecord) => Reply): Reply {
  const repository = call.state.repositories.get(`${call.parts[0]}/${call.parts[1]}`.toLowerCase());
  return repository === undefined ? NOT_THERE : work(repository);
}

const WRITES_A_MINUTE = 80;
const WRITES_AN_HOUR = 500;
const MINUTE_MS = 60_000;

/** The same, for a request that creates content: of those only so many are taken in a minute and in an hour. */
export function writing(call: GithubCall, work: (repository: RepositoryRecord) => Reply): Reply {
  return withRepository(call, (repository) => {
    const { state } = call;
    const now = state.now();
    state.writes = state.writes.filter((at) => at > now - 60 * MINUTE_MS);
    const inMinute = state.writes.filter((at) => at > now - MINUTE_MS).length;
    const isTooMany = inMinute >= WRITES_A_MINUTE || state.writes.length >= WRITES_AN_HOUR;
    if (isTooMany)
      return { ...refused(403, 'You have exceeded a secondary rate limit.'), headers: { 'retry-after': '60' } };
    state.writes.push(now);
    return work(repository);
  });
}

export function keepBlob(repository: RepositoryRecord, bytes: Buffer): string {
  const sha = gitBlobHash(bytes.length).update(bytes).digest('hex');
  repository.blobs.set(sha, bytes);
  return sha;
}

export function keepTree(repository: RepositoryRecord, files: ReadonlyMap<string, string>): string {
  const sorted = new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const sha = createHash('sha1')
    .update(JSON.stringify([...sorted]))
    .digest('hex');
  repository.trees.set(sha, sorted);
  return sha;
}

let made = 0;

export function keepCommit(repository: RepositoryRecord, commit: Omit<CommitRecord, 'sha'>): CommitRecord {
  made += 1;
  const sha = createHash('sha1')
    .update(`${made} ${JSON.stringify(commit)}`)
    .digest('hex');
  const record = { sha, ...commit };
  repository.commits.set(sha, record);
  return record;
}

export function newRepository(state: GithubState, owner: string, name: string): RepositoryRecord {
  made += 1;
  const repository: RepositoryRecord = {
    id: 1_000_000 + made,
    owner,
    name,
    description: null,
    isPrivate: false,
    blobs: new Map(),
    trees: new Map(),
    commits: new Map(),
    branches: new Map(),
    pages: null,
    nextStates: [],
  };
  state.repositories.set(`${owner}/${name}`.toLowerCase(), repository);
  return repository;
}

/** Adds a first commit, as `auto_init` makes it. */
export function initialize(repository: RepositoryRecord, branch = 'main'): void {
  const tree = keepTree(
    repository,
    new Map([['README.md', keepBlob(repository, Buffer.from(`# ${repository.name}`))]]),
  );
  repository.branches.set(branch, keepCommit(repository, { tree, message: 'Initial commit', parents: [] }).sha);
}

/** Puts the branch on the commit; a website of that branch is built anew. */
export function moveBranch(
  { now, quirks }: GithubState,
  repository: RepositoryRecord,
  branch: string,
  { sha, states = [] }: { sha: string; states?: readonly string[] },
): void {
  const isThere = repository.branches.get(branch) === sha;
  repository.branches.set(branch, sha);
  const { pages } = repository;
  if (pages === null) repository.nextStates = states;
  if (pages?.branch !== branch || isThere || quirks.noBuild) return;
  startBuild(pages, { commit: sha, at: now(), states });
}

export function startBuild(
  pages: PagesRecord,
  { commit, at, states = [] }: { commit: string; at: number; states?: readonly string[] },
): void {
  const named = states.map((state) => (state === 'error' ? 'errored' : state));
  const ahead = named.length > 0 ? named : ['queued', 'building'];
  pages.builds.unshift({ commit, ahead, status: ahead[0] ?? 'built', at });
}

/** One state a look; what is built is what visitors get, unless a later build was before it. */
export function advance(repository: RepositoryRecord, pages: PagesRecord): void {
  for (const [index, build] of pages.builds.entries()) {
    if (build.status === 'built' || build.status === 'errored') continue;
    build.status = build.ahead.shift() ?? 'built';
    const isNewest = !pages.builds.slice(0, index).some(({ status }) => status === 'built');
    if (build.status === 'built' && isNewest) pages.live = repository.commits.get(build.commit)?.tree ?? null;
  }
}

export function json<T>(shape: z.ZodMiniType<T>, body: Buffer): T {
  return shape.parse(JSON.parse(body.toString('utf8')));
}
