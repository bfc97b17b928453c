import * as z from 'zod/mini';
import type { EgressBody } from '../../../lib/egress/egress.ts';
import type { Manifest } from '../../../store/manifest.ts';
import { ask, type Vendor } from '../http.ts';
import type { PlatformCall, PlatformRef, PublishEvent } from '../platform.ts';
import { numberField, stringField } from '../reference.ts';
import { bodyOf, bytesIn, type Content, filesIn, sendFiles } from '../send-files.ts';
import { createPace, type Hour } from './pace.ts';
import { entryAt, type Known, type Piece, piecesOf, planOf, requireInADay, type TreeEntry } from './pieces.ts';
import { type Repository, urlIn } from './repository.ts';

/** GitHub asks for sequential requests, and refuses writes above about three a second. */
const BLOBS_AT_ONCE = 3;
/**
 * The progress of a release in the repository: the reference of an adapter that publishes through one has these
 * fields.
 */
export type Pushed = {
  releaseId: string;
  repositoryId: number;
  /** The tree so far; `items` says how many items of the plan it covers. */
  tree: string | null;
  sent: number;
  /** The tree that it began from: a plan with another base is a different plan. */
  base: string | null;
  commit: string | null;
  /** The time when the branch was put on the commit, in ms since 1970; null before that. */
  landedAt: number | null;
  /** The domain that the tree names. */
  cname: string | null;
  /** True when the content of the branch was not known, so that it had to be read. */
  isBranchRead: boolean;
} & Hour;

/** A release's repository, and the form of a reference there. */
export type PushTarget = { repository: Repository; named(pushed: Pushed): PlatformRef };

/** Reads a reference; returns null when it belongs to another repository, or one that no longer exists. */
export function pushedIn(ref: PlatformRef | null, repository: Repository): Pushed | null {
  const releaseId = stringField(ref, 'releaseId');
  const repositoryId = numberField(ref, 'repositoryId');
  if (releaseId === null || repositoryId !== repository.id) return null;
  return {
    releaseId,
    repositoryId,
    tree: stringField(ref, 'tree'),
    sent: numberField(ref, 'sent') ?? 0,
    base: stringField(ref, 'base'),
    commit: stringField(ref, 'commit'),
    landedAt: numberField(ref, 'landedAt'),
    cname: stringField(ref, 'cname'),
    isBranchRead: ref?.isBranchRead === true,
    hourFrom: numberField(ref, 'hourFrom'),
    hourSent: numberField(ref, 'hourSent') ?? 0,
  };
}

export type TreeRequest = {
  wanted: Manifest;
  /** The files of the tree `from.base`; null when it begins from nothing. */
  before: Manifest | null;
  /** Small texts of the adapter's own, which a tree that begins from nothing contains as well. */
  texts: Readonly<Record<string, string>>;
  from: Pushed;
  /** The blobs that the repository has, if it had to be asked for them. */
  known: Known | null;
};

/** Builds the tree of the release in the repository, and reports its progress after each piece. */
export async function* sendTree(
  vendor: Vendor,
  call: PlatformCall,
  { repository, named }: PushTarget,
  { wanted, before, texts, from, known }: TreeRequest,
): AsyncGenerator<PublishEvent, Pushed & { tree: string }> {
  const plan = planOf(wanted, before);
  if (from.sent === 0) requireInADay(vendor.title, plan, known);
  const own = Object.entries(texts).map(([path, content]) => entryAt(path, { content }));
  const progress = progressOver(plan.contents, [...plan.unchanged, ...contentsBefore(plan.items, from.sent)]);
  const pace = createPace(call, from);
  let pushed = from;
  yield progress.now();
  for await (const piece of piecesOf(call, plan, { start: from.sent, known })) {
    yield* pace.room(piece.blobs.length + 1);
    const entries = [...piece.entries, ...(yield* sendBlobs(vendor, call, repository, { piece, progress, pace }))];
    if (pushed.tree === null && pushed.base === null) entries.push(...own);
    pace.count();
    const tree = await makeTree(vendor, call, repository, pushed.tree ?? pushed.base, entries);
    pushed = { ...pushed, ...pace.hour(), tree, sent: pushed.sent + piece.items };
    yield { type: 'ref', ref: named(pushed) };
    yield progress.add(piece.contents);
  }
  const tree = pushed.tree ?? pushed.base ?? (await makeTree(vendor, call, repository, null, own));
  return { ...pushed, tree };
}

function contentsBefore(items: ReturnType<typeof planOf>['items'], sent: number): Content[] {
  return items.slice(0, sent).flatMap((item) => ('content' in item && item.isFirst ? [item.content] : []));
}

type Uploading = Extract<PublishEvent, { type: 'uploading' }>;

function progressOver(all: readonly Content[], doneBefore: readonly Content[]) {
  const totalBytes = bytesIn(all);
  let done = filesIn(doneBefore);
  let doneBytes = bytesIn(doneBefore);
  const now = (more = 0, moreBytes = 0): Uploading => ({
    type: 'uploading',
    done: done + more,
    total: filesIn(all),
    doneBytes: doneBytes + moreBytes,
    totalBytes,
  });
  return {
    now,
    add(contents: readonly Content[]): Uploading {
      done += filesIn(contents);
      doneBytes += bytesIn(contents);
      return now();
    },
  };
}

type Sending = { piece: Piece; progress: ReturnType<typeof progressOver>; pace: ReturnType<typeof createPace> };

async function* sendBlobs(
  vendor: Vendor,
  call: PlatformCall,
  repository: Repository,
  { piece, progress, pace }: Sending,
): AsyncGenerator<PublishEvent, TreeEntry[]> {
  if (piece.blobs.length === 0) return [];
  // What was sent before under other paths is counted already.
  const contents = piece.blobs.map(({ content, isFirst }) => (isFirst ? content : { ...content, copies: 0 }));
  const blobs = new Map(piece.blobs.map((blob) => [blob.content.sha256, blob]));
  const entries: TreeEntry[] = [];
  const sending = sendFiles(call, {
    contents,
    missing: contents,
    atOnce: BLOBS_AT_ONCE,
    send: async ({ sha256 }, inner) => {
      const blob = blobs.get(sha256);
      if (blob === undefined) return;
      pace.count();
      const sha = await sendBlob(vendor, inner, repository, blob.content, blob.bytes);
      entries.push(...blob.paths.map((path) => entryAt(path, { sha })));
    },
  });
  for await (const { done, doneBytes } of sending) yield progress.now(done, doneBytes);
  return entries;
}

const idSchema = z.object({ sha: z.string() });

/** `POST /git/blobs`. */
async function sendBlob(
  vendor: Vendor,
  call: PlatformCall,
  repository: Repository,
  content: Content,
  bytes: Buffer | null,
): Promise<string> {
  const request = {
    withToken: true,
    method: 'POST',
    url: urlIn(repository, '/git/blobs'),
    headers: { 'content-type': 'application/json' },
    body: async () => inBase64(content.sizeBytes, bytes ?? (await bodyOf(call, content))),
  } as const;
  return (await ask(call, vendor, request, idSchema)).sha;
}

const HEAD = Buffer.from('{"encoding":"base64","content":"');
const TAIL = Buffer.from('"}');

/** Returns the request around a content, encoded as it is read: a large file is never in memory as a whole. */
function inBase64(sizeBytes: number, body: EgressBody): EgressBody {
  const encodedBytes = Math.ceil(sizeBytes / 3) * 4;
  const chunks = body instanceof Uint8Array ? [body] : body.chunks;
  return { sizeBytes: HEAD.length + encodedBytes + TAIL.length, chunks: encoded(chunks) };
}

async function* encoded(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield HEAD;
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
  yield TAIL;
}

/** `POST /git/trees`, on top of another tree or of none. */
export async function makeTree(
  vendor: Vendor,
  call: PlatformCall,
  repository: Repository,
  base: string | null,
  entries: readonly TreeEntry[],
): Promise<string> {
  const json = { tree: entries, ...(base !== null && { base_tree: base }) };
  const request = { withToken: true, method: 'POST', url: urlIn(repository, '/git/trees'), json } as const;
  return (await ask(call, vendor, request, idSchema)).sha;
}
