import { type FileHandle, open } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { errnoOf } from '../storage-errors.ts';

/** Packs that are being read. A pack that was deleted occupies the disk until then at most. */
const OPEN_MAX = 32;
const OPEN_MS = 5_000;

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

export type OpenPacks = {
  /** Returns null when there is no file of this name. The caller gives it back by `close`. */
  borrow(path: string): Promise<BorrowedFile | null>;
  /**
   * Reads a part of a pack without a look at the file, so only its bytes can tell what it was. Returns null when the
   * pack ends before, and throws when it cannot be read.
   */
  read(path: string, part: { offset: number; sizeBytes: number }): Promise<Buffer | null>;
};

/**
 * Holds packs open for a moment, so that each of thousands of artifacts in one pack costs a look at the file, and no
 * opening and closing of its own.
 */
export function createOpenPacks(): OpenPacks {
  const packs = new LRUCache<string, Shared>({
    max: OPEN_MAX,
    ttl: OPEN_MS,
    ttlAutopurge: true,
    dispose: (shared) => {
      shared.isDropped = true;
      if (shared.users === 0) void closeQuietly(shared);
    },
  });

  function take(path: string): Shared {
    const known = packs.get(path);
    if (known !== undefined) return known;
    const shared: Shared = { opening: open(path, 'r'), looking: null, users: 0, isDropped: false };
    packs.set(path, shared);
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
      if (packs.peek(path) === shared) packs.delete(path);
      await giveBack();
      if (errnoOf(error) === 'ENOENT') return null;
      throw error;
    }
    // The name is gone, or belongs to another file by now.
    if (packs.peek(path) === shared) packs.delete(path);
    await giveBack();
    return borrow(path);
  }

  return { borrow, read: (path, part) => readPart(packs, { path, shared: take(path) }, part) };
}

async function readPart(
  packs: LRUCache<string, Shared>,
  { path, shared }: { path: string; shared: Shared },
  { offset, sizeBytes }: { offset: number; sizeBytes: number },
): Promise<Buffer | null> {
  shared.users += 1;
  try {
    const file = await shared.opening;
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(sizeBytes), 0, sizeBytes, offset);
    return bytesRead === sizeBytes ? buffer : null;
  } catch (error) {
    if (packs.peek(path) === shared) packs.delete(path);
    throw error;
  } finally {
    shared.users -= 1;
    if (shared.isDropped && shared.users === 0) void closeQuietly(shared);
  }
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
