import * as z from 'zod/mini';
import { at, type Reply, type Route } from '../stand-in.ts';
import { commitBody, refBody } from './bodies.ts';
import {
  type GithubCall,
  type GithubState,
  json,
  keepBlob,
  keepCommit,
  keepTree,
  moveBranch,
  NOT_THERE,
  type RepositoryRecord,
  refused,
  withRepository,
  writing,
} from './state.ts';

const BLOB_MAX_BYTES = 100 * 1024 ** 2;
/** More times out there (octokit.net, issue 1610); a payload of some megabytes does so as well. */
const TREE_MAX_ENTRIES = 1_000;
const TREE_MAX_BYTES = 2_500_000;
const EMPTY: Reply = refused(409, 'Git Repository is empty.');
const OWN_FILES: readonly string[] = ['.nojekyll', 'CNAME'];

const blobSchema = z.object({ content: z.string(), encoding: z.optional(z.enum(['utf-8', 'base64'])) });
const treeSchema = z.object({
  base_tree: z.optional(z.string()),
  tree: z.array(
    z.object({
      path: z.string(),
      mode: z.enum(['100644', '100755']),
      type: z.optional(z.literal('blob')),
      sha: z.optional(z.nullable(z.string())),
      content: z.optional(z.string()),
    }),
  ),
});
const commitSchema = z.object({ message: z.string(), tree: z.string(), parents: z.optional(z.array(z.string())) });
const moveSchema = z.object({ sha: z.string(), force: z.optional(z.boolean()) });
const refSchema = z.object({ ref: z.string(), sha: z.string() });

const BELOW = '/repos/{owner}/{repo}/git';

/** Blobs, trees, commits and branches (docs.github.com/rest/git). */
export const GIT_ROUTES: readonly Route<GithubState>[] = [
  at('POST', `${BELOW}/blobs`, 'upload', async (call) => writing(call, (one) => addBlob(call, one))),
  at('POST', `${BELOW}/trees`, 'upload', async (call) => writing(call, (one) => addTree(call, one))),
  at('GET', `${BELOW}/trees/{tree_sha}`, 'state', async (call) => withRepository(call, (one) => readTree(call, one))),
  at('POST', `${BELOW}/commits`, 'release', async (call) => writing(call, (one) => addCommit(call, one))),
  at('GET', `${BELOW}/commits/{commit_sha}`, 'state', async (call) =>
    withRepository(call, ({ commits }) => {
      const commit = commits.get(call.parts[2] ?? '');
      return commit === undefined ? NOT_THERE : { status: 200, body: commitBody(call, commit) };
    }),
  ),
  at('GET', `${BELOW}/ref/{ref+}`, 'look', async (call) =>
    withRepository(call, ({ branches }) => {
      if (branches.size === 0) return EMPTY;
      const branch = branchIn(call);
      const sha = branches.get(branch);
      return sha === undefined ? NOT_THERE : { status: 200, body: refBody(call, branch, sha) };
    }),
  ),
  at('POST', `${BELOW}/refs`, 'finish', async (call) => writing(call, (one) => addRef(call, one))),
  at('PATCH', `${BELOW}/refs/{ref+}`, 'finish', async (call) => writing(call, (one) => moveRef(call, one))),
  at('DELETE', `${BELOW}/refs/{ref+}`, 'remove', async (call) =>
    withRepository(call, ({ branches }) =>
      branches.delete(branchIn(call)) ? { status: 204 } : refused(422, 'Reference does not exist'),
    ),
  ),
];

function branchIn({ parts }: GithubCall): string {
  return (parts[2] ?? '').replace(/^heads\//, '');
}

function addBlob({ body, state, origin }: GithubCall, repository: RepositoryRecord): Reply {
  if (repository.branches.size === 0) return EMPTY;
  const { content, encoding = 'utf-8' } = json(blobSchema, body);
  const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
  if (bytes.length > BLOB_MAX_BYTES) return refused(422, 'Sorry, your input was too large to process.');
  const sha = keepBlob(repository, bytes);
  state.sent += 1;
  return { status: 201, body: { sha, url: `${origin}/git/blobs/${sha}` } };
}

function addTree({ body, state, origin }: GithubCall, repository: RepositoryRecord): Reply {
  if (repository.branches.size === 0) return EMPTY;
  const { base_tree: base, tree } = json(treeSchema, body);
  if (tree.length > TREE_MAX_ENTRIES || body.length > TREE_MAX_BYTES) {
    return refused(422, 'Sorry, your request timed out. It’s likely that your input was too large to process.');
  }
  const before = base === undefined ? new Map<string, string>() : treeOf(repository, base);
  if (before === undefined) return NOT_THERE;
  const files = new Map(before);
  const texts = new Set<string>();
  for (const { path, sha, content } of tree) {
    const fault = faultOf(repository, files, { path, sha, content });
    if (fault !== null) return refused(422, fault);
    if (sha === null) files.delete(path);
    else files.set(path, sha ?? keepBlob(repository, Buffer.from(content ?? '')));
    if (content !== undefined && !OWN_FILES.includes(path)) texts.add(content);
  }
  state.sent += texts.size;
  const sha = keepTree(repository, files);
  // Reported for the root alone.
  const root = new Map([...files].filter(([path]) => !path.includes('/')));
  return { status: 201, body: treeBody(origin, repository, sha, root) };
}

type Entry = { path: string; sha?: string | null | undefined; content?: string | undefined };

function faultOf({ blobs }: RepositoryRecord, files: ReadonlyMap<string, string>, { path, sha, content }: Entry) {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.toLowerCase() === '.git')) {
    return 'tree.path contains a malformed path component';
  }
  if (content !== undefined && sha !== undefined) return 'tree.sha and tree.content cannot both be given';
  if (sha === null) return files.has(path) ? null : 'GitRPC::BadObjectState';
  if (sha !== undefined && !blobs.has(sha)) return `tree.sha ${sha} is not a valid blob`;
  const isFileThere = parts.some((_part, index) => index > 0 && files.has(parts.slice(0, index).join('/')));
  const isFolder = [...files.keys()].some((one) => one.startsWith(`${path}/`));
  return isFileThere || isFolder ? 'GitRPC::BadObjectState' : null;
}

function treeOf({ trees, commits, branches }: RepositoryRecord, name: string) {
  const commit = commits.get(branches.get(name) ?? name);
  return trees.get(commit?.tree ?? name);
}

function readTree({ parts, origin }: GithubCall, repository: RepositoryRecord): Reply {
  const files = treeOf(repository, parts[2] ?? '');
  if (files === undefined) return NOT_THERE;
  return { status: 200, body: treeBody(origin, repository, keepTree(repository, files), files) };
}

function treeBody(origin: string, { blobs }: RepositoryRecord, sha: string, files: ReadonlyMap<string, string>) {
  const tree = [...files].map(([path, blob]) => ({
    path,
    mode: '100644',
    type: 'blob',
    sha: blob,
    size: blobs.get(blob)?.length ?? 0,
    url: `${origin}/git/blobs/${blob}`,
  }));
  return { sha, url: `${origin}/git/trees/${sha}`, tree, truncated: false };
}

function addCommit(call: GithubCall, repository: RepositoryRecord): Reply {
  const { message, tree, parents = [] } = json(commitSchema, call.body);
  if (repository.branches.size === 0) return EMPTY;
  if (!repository.trees.has(tree)) return refused(422, 'Tree SHA does not exist');
  if (parents.some((sha) => !repository.commits.has(sha))) return refused(422, 'Parent SHA does not exist');
  return { status: 201, body: commitBody(call, keepCommit(repository, { message, tree, parents })) };
}

function moveRef(call: GithubCall, repository: RepositoryRecord): Reply {
  const { sha, force = false } = json(moveSchema, call.body);
  const branch = branchIn(call);
  const head = repository.branches.get(branch);
  if (head === undefined) return refused(422, 'Reference does not exist');
  if (!repository.commits.has(sha)) return refused(422, 'Object does not exist');
  if (!force && !isAncestor(repository, head, sha)) return refused(422, 'Update is not a fast forward');
  moveBranch(call.state, repository, branch, { sha, states: call.states });
  return { status: 200, body: refBody(call, branch, sha) };
}

function addRef(call: GithubCall, repository: RepositoryRecord): Reply {
  const { ref, sha } = json(refSchema, call.body);
  const branch = ref.replace(/^refs\/heads\//, '');
  if (repository.branches.has(branch)) return refused(422, 'Reference already exists');
  if (!repository.commits.has(sha)) return refused(422, 'Object does not exist');
  moveBranch(call.state, repository, branch, { sha, states: call.states });
  return { status: 201, body: refBody(call, branch, sha) };
}

function isAncestor({ commits }: RepositoryRecord, old: string, young: string): boolean {
  const queue = [young];
  const seen = new Set<string>();
  for (const sha of queue) {
    if (sha === old) return true;
    if (seen.has(sha)) continue;
    seen.add(sha);
    queue.push(...(commits.get(sha)?.parents ?? []));
  }
  return false;
}
