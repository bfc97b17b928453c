import { type FileHandle, open } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { errnoOf } from '../storage-errors.ts';

/** Bundles that are being read. A bundle that was deleted occupies the disk until then at most. */
const OPEN_MAX = 32;
const OPEN_MS = 5_000;
/** The largest part that `read` takes; hashing it takes some thirty microseconds. */
export const PART_MAX_BYTES = 64 * 1024;
/**
 * The parts of a bundle that begin in the same megabyte are read together as soon as a second one of them is asked for:
 * a reading costs more than a hundred kilobytes do. Some blocks are held at once, since the order of paths is not that
 * of a bundle.
 */
const BLOCK_BYTES = 1024 * 1024;
/** Every part that begins in a block is whole in its reading. */
const READING_BYTES = BLOCK_BYTES + PART_MAX_BYTES;
const BLOCKS_MAX = 8;
/** Once so many parts of a block were asked for, the next one is read as well, so that nobody waits for it. */
const AHEAD_FROM = 8;

/** The facts of a file at the moment its hash was right; a file that looks different is read again. */
export type Fingerprint = { inode: number; modifiedMs: number; sizeBytes: number };

export type BorrowedFile = { file: FileHandle; fingerprint: Fingerprint; close(): Promise<void> };

type Shared = {
  opening: Promise<FileHandle>;
  /** Shared by concurrent callers, so that the system is asked once. */
  looking: Promise<Fingerprint | null> | null;
  users: number;
  isDropped: boolean;
};

type Part = { offset: number; sizeBytes: number };

/** `reading` is null while one part alone was asked for. */
type Block = { reading: Promise<Buffer> | null; given: Set<number> };

export type OpenBundles = {
  /** Returns null when there is no file of this name. The caller gives it back by `close`. */
  borrow(path: string): Promise<BorrowedFile | null>;
  /**
   * Reads a part of a bundle without a look at the file, so only its bytes can tell what it was. They may have been
   * read some seconds before, but not before the same part was last asked for. Returns null when the bundle ends
   * before, and throws when it cannot be read.
   */
  read(path: string, part: Part): Promise<Buffer | null>;
};

/**
 * Holds bundles open for a moment, so that each of thousands of artifacts in one bundle costs a look at the file, and
 * no opening and closing of its own.
 */
export function createOpenBundles(): OpenBundles {
  const bundles = new LRUCache<string, Shared>({
    max: OPEN_MAX,
    ttl: OPEN_MS,
    ttlAutopurge: true,
    dispose: (shared) => {
      shared.isDropped = true;
      if (shared.users === 0) void closeQuietly(shared);
    },
  });

  function take(path: string): Shared {
    const known = bundles.get(path);
    if (known !== undefined) return known;
    const shared: Shared = { opening: open(path, 'r'), looking: null, users: 0, isDropped: false };
    bundles.set(path, shared);
    return shared;
  }

  async function borrow(path: string): Promise<BorrowedFile | null> {
    const shared = take(path);
    shared.users += 1;
    let isGivenBack = false;
    const giveBack = async (): Promise<void> => {
      if (isGivenBack) return;
      isGivenBack = true;
      shared.users -= 1;
      if (shared.isDropped && shared.users === 0) await closeQuietly(shared);
    };
    try {
      const file = await shared.opening;
      const fingerprint = await lookAt(shared, file);
      if (fingerprint !== null) return { file, fingerprint, close: giveBack };
    } catch (error) {
      if (bundles.peek(path) === shared) bundles.delete(path);
      await giveBack();
      if (errnoOf(error) === 'ENOENT') return null;
      throw error;
    }
    // The name is gone, or belongs to another file by now.
    if (bundles.peek(path) === shared) bundles.delete(path);
    await giveBack();
    return borrow(path);
  }

  const read = createPartReader((path, part) => readAt(bundles, { path, shared: take(path) }, part));
  return { borrow, read };
}

/** Returns fewer bytes where the bundle ends. */
async function readAt(
  bundles: LRUCache<string, Shared>,
  { path, shared }: { path: string; shared: Shared },
  { offset, sizeBytes }: Part,
): Promise<Buffer> {
  shared.users += 1;
  try {
    const file = await shared.opening;
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(sizeBytes), 0, sizeBytes, offset);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (bundles.peek(path) === shared) bundles.delete(path);
    throw error;
  } finally {
    shared.users -= 1;
    if (shared.isDropped && shared.users === 0) void closeQuietly(shared);
  }
}

function createPartReader(readAlone: (path: string, part: Part) => Promise<Buffer>): OpenBundles['read'] {
  const blocks = new LRUCache<string, Block>({ max: BLOCKS_MAX, ttl: OPEN_MS, ttlAutopurge: true });
  const readBlock = (path: string, offset: number): Promise<Buffer> =>
    readAlone(path, { offset, sizeBytes: READING_BYTES });

  function readAhead(path: string, start: number): void {
    if (blocks.has(keyOf(path, start))) return;
    const reading = readBlock(path, start);
    // A caller that needs it meets the error.
    reading.catch(() => undefined);
    blocks.set(keyOf(path, start), { reading, given: new Set() });
  }

  /** Copies the bytes, since a part of the block would keep all of it in memory. */
  async function readFromBlock(path: string, { offset, sizeBytes }: Part): Promise<Buffer> {
    const start = offset - (offset % BLOCK_BYTES);
    const block = blocks.get(keyOf(path, start));
    if (block === undefined || block.given.has(offset)) {
      blocks.set(keyOf(path, start), { reading: null, given: new Set([offset]) });
      return readAlone(path, { offset, sizeBytes });
    }
    block.given.add(offset);
    const isNextWanted = block.given.size === AHEAD_FROM;
    block.reading ??= readBlock(path, start);
    const whole = await block.reading.catch((error: unknown) => {
      if (blocks.peek(keyOf(path, start)) === block) blocks.delete(keyOf(path, start));
      throw error;
    });
    if (isNextWanted && whole.length === READING_BYTES) readAhead(path, start + BLOCK_BYTES);
    const part = Buffer.allocUnsafeSlow(Math.max(0, Math.min(sizeBytes, whole.length - offset + start)));
    whole.copy(part, 0, offset - start);
    return part;
  }

  return async (path, part) => {
    const bytes = await readFromBlock(path, part);
    return bytes.length === part.sizeBytes ? bytes : null;
  };
}

function keyOf(path: string, start: number): string {
  return `${path} ${start}`;
}

/** Returns null when the file has no name any more. */
function lookAt(shared: Shared, file: FileHandle): Promise<Fingerprint | null> {
  shared.looking ??= file
    .stat()
    .then((found) => (found.nlink === 0 ? null : fingerprintOf(found)))
    .finally(() => {
      shared.looking = null;
    });
  return shared.looking;
}

export function fingerprintOf({ ino, mtimeMs, size }: { ino: number; mtimeMs: number; size: number }): Fingerprint {
  return { inode: ino, modifiedMs: mtimeMs, sizeBytes: size };
}

/** A file that never opened has nothing to close. */
async function closeQuietly({ opening }: Shared): Promise<void> {
  await opening.then((file) => file.close()).catch(() => undefined);
}
