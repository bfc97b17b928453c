import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { clear, createStore, get, keys, set, type UseStore } from 'idb-keyval';
import { changed } from './request.ts';
import type { SelectedFile } from './selection/selection.ts';

/** Small files are read together, because a browser takes longer to begin a reading than to read. */
const GROUP_BYTES = 256 * 1024;
/** These are read side by side, because one by one most of the time passes in waiting for the disk. */
const GROUPS_AT_ONCE = 8;
const SMALL_FILE_MAX_BYTES = 4 * 1024 * 1024;
/** Only a few large files are read at once, because each is held in memory. */
const LARGE_FILES_AT_ONCE = 2;
/** Still larger files go through an incremental hash instead of being held whole. */
const WHOLE_FILE_MAX_BYTES = 64 * 1024 * 1024;
/**
 * The bytes of small files are kept for the sending up to this size in total, because to read them again takes as long
 * as to hash them did.
 */
const KEPT_MAX_BYTES = 128 * 1024 * 1024;

export type HashResult =
  | { index: number; sha256: string; bytes?: Uint8Array<ArrayBuffer> }
  | { index: number; problem: string };
/** Hashes all blobs, in any order, and tells their results in batches. */
export type Hasher = (
  blobs: readonly Blob[],
  onResults: (results: readonly HashResult[]) => void,
  signal: AbortSignal,
) => Promise<void>;
export type HashedFile = SelectedFile & {
  sha256: string;
  /** The number of published files with this content, where they were counted: it is sent once for all of them. */
  copies?: number;
  /** The bytes that were hashed, if they were kept. */
  bytes?: Uint8Array<ArrayBuffer>;
};

/**
 * The browser refuses to read a file object whose file has changed since, so that a hash stays valid as long as the
 * object.
 */
const knownHashes = new WeakMap<Blob, string>();

/** Returns the hash of a file that this page has hashed or recalled. */
export function knownHash(file: Blob): string | undefined {
  return knownHashes.get(file);
}

/**
 * Hashes the files of a selection, except those whose hash is known. `onHashed` is called once for every file. The
 * bytes stay in memory only if they are asked for.
 *
 * @throws UploadError with the code `file_changed` when a file can no longer be read; the signal's reason
 */
export async function hashFiles(
  files: readonly SelectedFile[],
  hasher: Hasher,
  onHashed: (files: readonly SelectedFile[]) => void,
  signal: AbortSignal,
  areBytesKept = false,
): Promise<HashedFile[]> {
  const unknown = files.filter(({ file }) => !knownHashes.has(file));
  onHashed(files.filter(({ file }) => knownHashes.has(file)));
  const kept = new Map<Blob, Uint8Array<ArrayBuffer>>();
  const onResults = (results: readonly HashResult[]) => {
    const hashed: SelectedFile[] = [];
    for (const result of results) {
      const selected = unknown[result.index];
      if (selected === undefined || 'problem' in result) continue;
      knownHashes.set(selected.file, result.sha256);
      if (areBytesKept && result.bytes !== undefined) kept.set(selected.file, result.bytes);
      hashed.push(selected);
    }
    onHashed(hashed);
  };
  if (unknown.length > 0) {
    await hasher(
      unknown.map(({ file }) => file),
      onResults,
      signal,
    );
  }
  return files.map(({ path, file }) => {
    const hash = knownHashes.get(file);
    if (hash === undefined) throw changed(path, new Error('The file could not be read.'));
    const bytes = kept.get(file);
    return { path, file, sha256: hash, ...(bytes !== undefined && { bytes }) };
  });
}

/**
 * Creates a hasher that works in a worker, so that the page stays responsive; if none can start, the page itself
 * hashes.
 */
export function createWorkerHasher(createWorker: () => Worker): Hasher {
  return (blobs, onResults, signal) =>
    new Promise<void>((resolve, reject) => {
      let left = blobs.length;
      const worker = createWorker();
      const end = (settle: () => void) => {
        worker.terminate();
        signal.removeEventListener('abort', stop);
        settle();
      };
      const stop = () => end(() => reject(signal.reason));
      signal.addEventListener('abort', stop);
      worker.onmessage = ({ data }: MessageEvent<HashResult[]>) => {
        onResults(data);
        left -= data.length;
        if (left === 0) end(resolve);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        if (left < blobs.length) end(() => reject(new Error(event.message)));
        else end(() => void hashBlobs(blobs, onResults).then(resolve, reject));
      };
      worker.postMessage(blobs);
    });
}

type Numbered = readonly [index: number, blob: Blob];

/** Hashes all of the blobs, several side by side, and tells the results of each group as they are known. */
export async function hashBlobs(
  blobs: readonly Blob[],
  onResults: (results: readonly HashResult[]) => void,
): Promise<void> {
  let keptBytes = 0;
  const inLanes = async (laneCount: number, groups: readonly Numbered[][]) => {
    const todo = groups.values();
    const lane = async () => {
      for (const group of todo) {
        const bytes = group.length === 1 ? null : await readTogether(group.map(([, blob]) => blob));
        keptBytes += bytes?.byteLength ?? 0;
        onResults(await hashGroup(group, { bytes, isKept: keptBytes <= KEPT_MAX_BYTES }));
      }
    };
    await Promise.all(Array.from({ length: laneCount }, lane));
  };
  const numbered = [...blobs.entries()];
  await inLanes(GROUPS_AT_ONCE, groupsOf(numbered.filter(([, { size }]) => size <= SMALL_FILE_MAX_BYTES)));
  await inLanes(
    LARGE_FILES_AT_ONCE,
    numbered.filter(([, { size }]) => size > SMALL_FILE_MAX_BYTES).map((one) => [one]),
  );
}

function groupsOf(files: readonly Numbered[]): Numbered[][] {
  const groups: Numbered[][] = [];
  let bytes = GROUP_BYTES;
  for (const file of files) {
    if (bytes >= GROUP_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(file);
    bytes += file[1].size;
  }
  return groups;
}

/** Hashes files from one reading of them all. When that failed each is read by itself, which tells whose fault it is. */
function hashGroup(
  group: readonly Numbered[],
  { bytes, isKept }: { bytes: ArrayBuffer | null; isKept: boolean },
): Promise<HashResult[]> {
  let end = 0;
  return Promise.all(
    group.map(async ([index, blob]) => {
      if (bytes === null) return resultOf(index, blob);
      const own = new Uint8Array(bytes, end, blob.size);
      end += blob.size;
      return { index, sha256: await hashBytes(own), ...(isKept && { bytes: own }) };
    }),
  );
}

/** Returns null also when a file has another length by now: all files after it would be cut at wrong places. */
async function readTogether(blobs: Blob[]): Promise<ArrayBuffer | null> {
  const whole = new Blob(blobs);
  const bytes = await whole.arrayBuffer().catch(() => null);
  return bytes?.byteLength === whole.size ? bytes : null;
}

async function resultOf(index: number, blob: Blob): Promise<HashResult> {
  try {
    return { index, sha256: await hashBlob(blob) };
  } catch (cause) {
    return { index, problem: cause instanceof Error ? cause.message : String(cause) };
  }
}

/**
 * Computes the SHA-256 of a file in lower-case hex. `subtle` is missing outside a secure context (plain http off
 * localhost). It cannot hash in slices either, so a large file is hashed in JavaScript as it is read.
 */
export async function hashBlob(blob: Blob, subtle: SubtleCrypto | null = subtleOfPage()): Promise<string> {
  if (subtle !== null && blob.size <= WHOLE_FILE_MAX_BYTES) {
    return hashBytes(new Uint8Array(await blob.arrayBuffer()), subtle);
  }
  const hash = sha256.create();
  const reader = blob.stream().getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) hash.update(part.value);
  return bytesToHex(hash.digest());
}

async function hashBytes(bytes: Uint8Array<ArrayBuffer>, subtle = subtleOfPage()): Promise<string> {
  return bytesToHex(subtle === null ? sha256(bytes) : new Uint8Array(await subtle.digest('SHA-256', bytes)));
}

/** The types of the DOM claim that `subtle` always exists. */
function subtleOfPage(): SubtleCrypto | null {
  return globalThis.isSecureContext === false ? null : crypto.subtle;
}

/** The hashes of a folder that was published before, by path. */
type FolderHashes = { hashedAt: number; files: ReadonlyMap<string, KnownFile> };
type KnownFile = { sizeBytes: number; lastModified: number; sha256: string };

/** A file that was written so shortly before it was hashed may have been written once more in the same tick of the disk. */
const SAME_TICK_MS = 3_000;
/** With this many folders all are forgotten: 10,000 hashes take a megabyte. */
const FOLDERS_MAX = 20;

let opened: UseStore | null = null;

function database(): UseStore {
  opened ??= createStore('fairlead-hashes', 'folders');
  return opened;
}

/**
 * Recalls the hashes of files whose size and time of change are the same as when this folder was last hashed. All
 * others have to be read. `folder` names the account as well.
 */
export async function recallHashes(folder: string, files: readonly SelectedFile[]): Promise<void> {
  const before = await readHashes(folder);
  if (before === null) return;
  for (const { path, file } of files) {
    const known = before.files.get(path);
    const isSame = known?.sizeBytes === file.size && known.lastModified === file.lastModified;
    if (isSame && file.lastModified < before.hashedAt - SAME_TICK_MS) knownHashes.set(file, known.sha256);
  }
}

async function readHashes(folder: string): Promise<FolderHashes | null> {
  try {
    return (await get<FolderHashes>(folder, database())) ?? null;
  } catch {
    // Without a database every file is read.
    return null;
  }
}

/** Stores the hashes of all files of a folder in place of its previous ones. */
export async function recordHashes(folder: string, files: readonly HashedFile[]): Promise<void> {
  const known = files.map(({ path, file: { size, lastModified }, sha256 }): [string, KnownFile] => [
    path,
    { sizeBytes: size, lastModified, sha256 },
  ]);
  try {
    if ((await keys(database())).length >= FOLDERS_MAX) await clear(database());
    await set(folder, { hashedAt: Date.now(), files: new Map(known) } satisfies FolderHashes, database());
  } catch {
    // If there is no space for it, every file is read the next time.
  }
}

/** Forgets the hashes of all folders. */
export async function forgetHashes(): Promise<void> {
  try {
    await clear(database());
  } catch {
    // Without a database there is nothing to forget.
  }
}

/** Counts the published files of each content. */
export function copiesOf(files: readonly HashedFile[], leftOut: ReadonlySet<string>): Map<string, number> {
  const copies = new Map<string, number>();
  for (const { path, sha256 } of files) if (!leftOut.has(path)) copies.set(sha256, (copies.get(sha256) ?? 0) + 1);
  return copies;
}
