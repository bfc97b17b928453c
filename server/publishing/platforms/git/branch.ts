import * as z from 'zod/mini';
import { readLongList } from '../../../lib/egress/answer-list.ts';
import { AppError } from '../../../lib/errors.ts';
import { runInTimeSlices } from '../../../lib/time-slices.ts';
import { platformError } from '../failures.ts';
import { ask, type Vendor, type VendorRequest } from '../http.ts';
import type { PlatformCall, PlatformRef, PublishEvent } from '../platform.ts';
import { nullIfNotFound } from '../reference.ts';
import { anyObject } from './api.ts';
import { entryAt, type Known } from './pieces.ts';
import { type Repository, urlIn } from './repository.ts';
import { makeTree, type Pushed, type PushTarget, pushedIn } from './tree.ts';

/** Somebody else, or GitHub itself, may write to the branch between our read and our commit. */
const TRIES = 5;

const refSchema = z.object({ object: z.object({ sha: z.string() }) });
const commitSchema = z.object({ sha: z.string(), tree: z.object({ sha: z.string() }) });

export type Landed = Pushed & { tree: string; commit: string; landedAt: number };

export type Landing = {
  pushed: Pushed & { tree: string };
  message: string;
  /** The commit that the branch should be on; without one, it is looked up. */
  parent: string | null;
  /** Returns the domain that GitHub has for the repository; called when others have moved the branch. */
  readCname?(): Promise<string | null>;
};

/** Returns null for a release that never got that far. */
export function landedIn(ref: PlatformRef, repository: Repository): Landed | null {
  const pushed = pushedIn(ref, repository);
  if (pushed === null) return null;
  const { tree, commit, landedAt } = pushed;
  return tree === null || commit === null || landedAt === null ? null : { ...pushed, tree, commit, landedAt };
}

/**
 * Puts the branch on a commit with this tree. Usually the branch is where we left it, so nothing is read: the commit
 * is made on top of that, and GitHub refuses to move the branch if it is elsewhere. Only then is the branch read.
 * Commits of others stay in its history; nothing is forced.
 */
export async function* land(
  vendor: Vendor,
  call: PlatformCall,
  { repository, named }: PushTarget,
  landing: Landing,
): AsyncGenerator<PublishEvent, Landed> {
  const { message } = landing;
  let { pushed } = landing;
  if (pushed.commit === null) {
    const parent = landing.parent ?? (await readHead(vendor, call, repository));
    const commit = await makeCommit(vendor, call, repository, { message, tree: pushed.tree, parent });
    pushed = { ...pushed, commit };
    yield { type: 'ref', ref: named(pushed) };
  }
  const { commit, landedAt } = pushed;
  if (commit !== null && landedAt !== null) return { ...pushed, commit, landedAt };
  if (commit !== null && (await isMoved(vendor, call, repository, commit))) {
    return { ...pushed, commit, landedAt: call.now().getTime() };
  }
  return landOnTop(vendor, call, repository, { ...landing, pushed });
}

/** Reads the branch first: if it already has this tree, no commit is made. */
export async function landOnTop(
  vendor: Vendor,
  call: PlatformCall,
  repository: Repository,
  { pushed, message, readCname }: Landing,
): Promise<Landed> {
  for (let tried = 1; tried <= TRIES; tried += 1) {
    const head = await readHead(vendor, call, repository);
    const cname = readCname === undefined ? null : await readCname();
    const tree = await withCname(vendor, call, repository, pushed, cname);
    const shown = head === null ? null : await readCommit(vendor, call, repository, head);
    const landed = { ...pushed, tree, cname, landedAt: call.now().getTime() };
    const isThere = head === pushed.commit && pushed.landedAt !== null;
    if (head !== null && shown?.tree.sha === tree) {
      return { ...landed, commit: head, ...(isThere && { landedAt: pushed.landedAt ?? 0 }) };
    }
    const commit = await makeCommit(vendor, call, repository, { message, tree, parent: head });
    if (await isMoved(vendor, call, repository, commit)) return { ...landed, commit };
  }
  throw platformError('out_of_sync', vendor.title, { said: 'somebody else keeps writing to the branch' });
}

/**
 * Adds `CNAME` to the tree. GitHub keeps the domain of a site in that file: a tree without it would remove the domain.
 */
async function withCname(
  vendor: Vendor,
  call: PlatformCall,
  repository: Repository,
  { tree, cname: named }: Landing['pushed'],
  cname: string | null,
): Promise<string> {
  if (cname === named) return tree;
  return makeTree(vendor, call, repository, tree, [
    entryAt('CNAME', cname === null ? { sha: null } : { content: cname }),
  ]);
}

/** `GET /git/ref/heads/{branch}`: returns null when there is no such branch yet. */
async function readHead(vendor: Vendor, call: PlatformCall, repository: Repository): Promise<string | null> {
  const url = urlIn(repository, `/git/ref/heads/${repository.branch}`);
  return (await nullIfNotFound(ask(call, vendor, { withToken: true, url }, refSchema)))?.object.sha ?? null;
}

/** `GET /git/commits/{sha}`. */
async function readCommit(vendor: Vendor, call: PlatformCall, repository: Repository, sha: string) {
  return ask(call, vendor, { withToken: true, url: urlIn(repository, `/git/commits/${sha}`) }, commitSchema);
}

type NewCommit = { message: string; tree: string; parent: string | null };

/** `POST /git/commits`: a duplicate is on no branch, and GitHub forgets it. */
async function makeCommit(
  vendor: Vendor,
  call: PlatformCall,
  repository: Repository,
  { message, tree, parent }: NewCommit,
): Promise<string> {
  const json = { message, tree, parents: parent === null ? [] : [parent] };
  const request = { withToken: true, method: 'POST', url: urlIn(repository, '/git/commits'), json } as const;
  return (await ask(call, vendor, request, commitSchema)).sha;
}

/** `PATCH /git/refs/heads/{branch}`, or creates the branch; returns false when it is not at the commit's parent. */
async function isMoved(vendor: Vendor, call: PlatformCall, repository: Repository, sha: string): Promise<boolean> {
  const { branch } = repository;
  const move: VendorRequest = {
    method: 'PATCH',
    url: urlIn(repository, `/git/refs/heads/${branch}`),
    json: { sha, force: false },
  };
  const begin: VendorRequest = {
    method: 'POST',
    url: urlIn(repository, '/git/refs'),
    json: { ref: `refs/heads/${branch}`, sha },
  };
  for (const request of [move, begin]) {
    try {
      await ask(call, vendor, { withToken: true, ...request }, anyObject);
      return true;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'out_of_sync') throw error;
      if (!/does not exist/i.test(error.message)) return false;
    }
  }
  return false;
}

const treeSchema = z.object({ truncated: z.optional(z.boolean()) });
const entrySchema = z.object({
  type: z.optional(z.string()),
  sha: z.optional(z.string()),
  size: z.optional(z.number()),
});

/** docs.github.com, "Get a tree": at most 100,000 entries and 7 MB in one answer. */
const WHOLE_TREE = { bytes: 8 * 1024 * 1024, entries: 100_000 };

/**
 * Returns the blobs of the branch; null when GitHub does not list them, or not in one answer. The answer is read in
 * slices, since parsing it at once would hold up everything else of this process.
 */
export async function readBlobIds(vendor: Vendor, call: PlatformCall, repository: Repository): Promise<Known | null> {
  const url = urlIn(repository, `/git/trees/${repository.branch}?recursive=1`);
  const answersWith = { bytes: WHOLE_TREE.bytes, values: 1 };
  const request = { withToken: true, url, answersText: true, answersWith } as const;
  const text = await nullIfNotFound(ask(call, vendor, request, z.string()));
  if (text === null) return null;
  const known = await runInTimeSlices(readTree(text));
  if (known !== undefined) return known;
  throw platformError('platform_down', vendor.title, { said: 'its answer is not understood' });
}

function* readTree(text: string): Generator<void, Known | null | undefined> {
  const ids = new Set<string>();
  const sizes = new Set<number>();
  let isEachSizeTold = true;
  const take = (item: unknown): true | undefined => {
    const parsed = entrySchema.safeParse(item);
    if (!parsed.success) return undefined;
    const { type, sha, size } = parsed.data;
    if (type !== 'blob') return true;
    if (sha !== undefined) ids.add(sha);
    if (size === undefined) isEachSizeTold = false;
    else sizes.add(size);
    return true;
  };
  const beginsWith = /"tree"\s*:\s*\[/;
  const tree = yield* readLongList(text, { beginsWith, itemsMax: WHOLE_TREE.entries, take });
  const around = treeSchema.safeParse(tree?.around);
  if (!around.success) return undefined;
  return around.data.truncated === true ? null : { ids, sizes: isEachSizeTold ? sizes : null };
}
