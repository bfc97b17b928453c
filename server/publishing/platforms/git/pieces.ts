import type { Manifest } from '../../../store/manifest.ts';
import { platformError } from '../failures.ts';
import type { PlatformCall } from '../platform.ts';
import { type Content, contentsOf } from '../send-files.ts';
import { gitBlobHash } from './blob.ts';
import { piecesAnHour } from './pace.ts';

/**
 * A tree is sent in pieces, each on top of the one before, because one request for thousands of files times out at
 * GitHub. Text is sent inside the piece, since every blob is a request of its own and only 500 content-creating ones
 * are allowed in an hour (docs.github.com, "Rate limits for the REST API"). The numbers are well below those at which
 * refusals were reported (octokit/octokit.net, issues 1610 and 2263).
 */
const ENTRIES_MAX = 500;
const TEXT_MAX_BYTES = 900 * 1024;
/** A run that is killed sends the blobs of one piece again; GitHub accepts two pieces in a minute. */
const BLOBS_MAX = 34;
/**
 * docs.github.com, "Rate limits for the REST API": the number of new binary files within the day that a release may
 * take.
 */
const BLOBS_A_DAY = 24 * piecesAnHour(BLOBS_MAX + 1) * BLOBS_MAX;
/** A larger file is sent as a blob, whatever it holds. */
const INLINE_MAX_BYTES = 256 * 1024;
/**
 * Files that were read for their ids are kept for sending, up to this size for a whole piece; larger ones are read
 * again.
 */
const KEPT_MAX_BYTES = 8 * 1024 * 1024;
/** Files with these extensions are never text. */
const BINARY =
  /\.(?:png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|eot|mp[34]|m4[av]|mov|web[mp]|og[gv]|wav|pdf|zip|gz|wasm)$/i;

export type TreeEntry = { path: string; mode: '100644'; type: 'blob' } & ({ sha: string | null } | { content: string });

/** One change to write: a path that is removed, or a content under some of its paths. */
export type Item = { gone: string } | { content: Content; paths: readonly string[]; isFirst: boolean };
type Addition = Exclude<Item, { gone: string }>;

export type Piece = {
  entries: TreeEntry[];
  /** These are sent first; each adds its entries once its id is known. */
  blobs: (Addition & { bytes: Buffer | null })[];
  /** The number of items that the piece covers, and the contents among them. */
  items: number;
  contents: Content[];
};

export type Plan = {
  items: readonly Item[];
  /** A piece ends before this item: a file cannot replace a folder in the same request that removes it. */
  cutAt: number | null;
  /** Every content once, with the number of those that the branch already has from the previous release. */
  contents: readonly Content[];
  unchanged: readonly Content[];
};

/**
 * Returns the differences from the previous files, in an order that a second run repeats; everything, when there are
 * none.
 */
export function planOf(wanted: Manifest, before: Manifest | null): Plan {
  const pathsOf = new Map<string, string[]>();
  for (const [path, { sha256 }] of wanted) {
    if (before?.get(path)?.sha256 === sha256) continue;
    const paths = pathsOf.get(sha256);
    if (paths === undefined) pathsOf.set(sha256, [path]);
    else paths.push(path);
  }
  const contents = contentsOf(wanted);
  const gone = [...(before?.keys() ?? [])].filter((path) => !wanted.has(path));
  const additions = contents.flatMap((content) => slicesOf(content, pathsOf.get(content.sha256) ?? []));
  return {
    items: [...gone.map((path) => ({ gone: path })), ...additions],
    cutAt: isInEachOthersWay(gone, [...pathsOf.values()].flat()) ? gone.length : null,
    contents,
    unchanged: contents.filter(({ sha256 }) => !pathsOf.has(sha256)),
  };
}

/** The blobs that a repository has. `sizes` is null when it does not list them. */
export type Known = { ids: ReadonlySet<string>; sizes: ReadonlySet<number> | null };

/** Refuses, before anything is sent, a release that could not be sent within a day. Throws `content_refused`. */
export function requireInADay(title: string, { items }: Pick<Plan, 'items'>, known: Known | null): void {
  const blobs = items.filter((item) => 'content' in item && item.isFirst && isBlob(item.content)).length;
  const count = blobs - (known?.ids.size ?? 0);
  if (count <= BLOBS_A_DAY) return;
  const [wanted, max] = [count, BLOBS_A_DAY].map((number) => number.toLocaleString('en'));
  const said = `${wanted} images and other non-text files are new; a release may take a day at most, and GitHub accepts about ${max} in that time`;
  throw platformError('content_refused', title, { said });
}

function isBlob({ path, sizeBytes }: Content): boolean {
  return sizeBytes > INLINE_MAX_BYTES || BINARY.test(path);
}

function slicesOf(content: Content, paths: readonly string[]): Addition[] {
  const slices: Addition[] = [];
  for (let start = 0; start < paths.length; start += ENTRIES_MAX) {
    slices.push({ content, paths: paths.slice(start, start + ENTRIES_MAX), isFirst: start === 0 });
  }
  return slices;
}

function isInEachOthersWay(gone: readonly string[], added: readonly string[]): boolean {
  const isBelow = (paths: readonly string[], others: ReadonlySet<string>): boolean =>
    paths.some((path) => foldersOf(path).some((folder) => others.has(folder)));
  return isBelow(gone, new Set(added)) || isBelow(added, new Set(gone));
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
}

/**
 * Cuts the items into pieces, from item `start` on; each content is read once. `known` holds the blobs of the
 * repository, if it had to be asked for them: these are named and not sent.
 */
export async function* piecesOf(
  call: PlatformCall,
  { items, cutAt }: Pick<Plan, 'items' | 'cutAt'>,
  { start, known }: { start: number; known: Known | null },
): AsyncGenerator<Piece> {
  let piece = emptyPiece();
  let textBytes = 0;
  let keptBytes = 0;
  let entries = 0;
  for (let index = start; index < items.length; index += 1) {
    call.signal.throwIfAborted();
    const item = items[index];
    if (item === undefined) break;
    const written = 'gone' in item ? removal(item.gone) : await write(call, item, known);
    const keeps = written.blob?.bytes?.length ?? 0;
    const more = written.entries.length + (written.blob?.paths.length ?? 0);
    const isFull =
      entries + more > ENTRIES_MAX ||
      textBytes + written.textBytes > TEXT_MAX_BYTES ||
      keptBytes + keeps > KEPT_MAX_BYTES ||
      piece.blobs.length === BLOBS_MAX;
    if (piece.items > 0 && (isFull || index === cutAt)) {
      yield piece;
      piece = emptyPiece();
      textBytes = 0;
      keptBytes = 0;
      entries = 0;
    }
    entries += more;
    textBytes += written.textBytes;
    keptBytes += keeps;
    piece.items += 1;
    piece.entries.push(...written.entries);
    if (written.blob !== undefined) piece.blobs.push(written.blob);
    if ('content' in item && item.isFirst) piece.contents.push(item.content);
  }
  if (piece.items > 0) yield piece;
}

function emptyPiece(): Piece {
  return { entries: [], blobs: [], items: 0, contents: [] };
}

type Written = { entries: TreeEntry[]; textBytes: number; blob?: Piece['blobs'][number] };

function removal(path: string): Written {
  return { entries: [entryAt(path, { sha: null })], textBytes: 0 };
}

async function write(call: PlatformCall, item: Addition, known: Known | null): Promise<Written> {
  const { content, paths } = item;
  // A content with a size that the repository lacks is new: it is read once, when it is sent.
  const mayBeThere = known?.sizes?.has(content.sizeBytes) ?? known !== null;
  const isSmall = content.sizeBytes <= INLINE_MAX_BYTES || (mayBeThere && content.sizeBytes <= KEPT_MAX_BYTES);
  const bytes = isSmall ? await call.store.readWhole(content.sha256) : null;
  if (mayBeThere) {
    const id = bytes === null ? await idOfStored(call, content) : gitBlobHash(bytes.length).update(bytes).digest('hex');
    if (known?.ids.has(id)) return { entries: paths.map((path) => entryAt(path, { sha: id })), textBytes: 0 };
  }
  const text = bytes === null || bytes.length * paths.length > INLINE_MAX_BYTES ? null : textOf(bytes);
  if (text === null) return { entries: [], textBytes: 0, blob: { ...item, bytes } };
  const entries = paths.map((path) => entryAt(path, { content: text }));
  return { entries, textBytes: Buffer.byteLength(JSON.stringify(text)) * paths.length };
}

export function entryAt(path: string, of: { sha: string | null } | { content: string }): TreeEntry {
  return { path, mode: '100644', type: 'blob', ...of };
}

/** Returns null for content that is not text, or would not survive JSON byte for byte. */
function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function idOfStored({ store }: PlatformCall, { sha256, sizeBytes }: Content): Promise<string> {
  const hash = gitBlobHash(sizeBytes);
  const artifact = await store.open(sha256);
  try {
    for await (const chunk of artifact.stream()) hash.update(chunk);
    return hash.digest('hex');
  } finally {
    await artifact.close();
  }
}
