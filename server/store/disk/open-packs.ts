import { type FileHandle, open } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { errnoOf } from '../storage-errors.ts';

/** Packs that are read at the moment; a pack that has gone keeps its place on the disk for so long at most. */
const OPEN_MAX = 32;
const OPEN_MS = 5_000;

/** The shape of a file at the moment its hash was right; a file that looks different is read again. */
export type Fingerprint = { inode: number; modifiedMs: number; sizeBytes: number };

export type BorrowedFile = { file: FileHandle; fingerprint: Fingerprint; close(): Promise<void> };

type Shared = {
  opening: Promise<FileHandle>;
  /** Asked by many at once, the system is asked once. */
  looking: Promise<Fingerprint | null> | null;
  users: number;
  isDropped: boolean;
};

export type OpenPacks = {
  /** Null when there is no file of this name. Give it back by `close`. */
  borrow(path: string): Promise<BorrowedFile | null>;
};

/**
 * Keeps packs open for a moment: of thousands of artifacts in one pack each then costs a look at the file, and no opening
 * and closing of its own.
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
    // Its name is gone, or another file's by now.
    if (packs.peek(path) === shared) packs.delete(path);
    await giveBack();
    return borrow(path);
  }

  return { borrow };
}

/** Null when the file has no name any more. */
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

/** One that never opened has nothing to close. */
async function closeQuietly({ opening }: Shared): Promise<void> {
  await opening.then((file) => file.close()).catch(() => undefined);
}
