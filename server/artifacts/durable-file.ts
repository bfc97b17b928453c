import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** Ends the name of every file that is not whole yet. */
export const UNFINISHED = '.tmp';

let writes = 0;

/** A name beside `path` that no other write of this or another process uses. */
export function unfinishedName(path: string): string {
  writes += 1;
  return `${path}.${process.pid}.${Date.now().toString(36)}${writes.toString(36)}${UNFINISHED}`;
}

/**
 * Writes a file so that a reader, also one after a crash, finds the old bytes or the new ones and never a part:
 * temporary name, fsync, rename, fsync of the folder (security facts, 10.4). `fill` writes into the open file; when it
 * throws nothing is left behind.
 */
export async function writeDurably(path: string, fill: (file: FileHandle) => Promise<void>): Promise<void> {
  const unfinished = unfinishedName(path);
  try {
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await fill(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    // A full disk leaves the part that fitted: it would keep the disk full.
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Makes names in a folder durable: a renamed file may be gone after a power cut without it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the folder, readable for the owner alone, and its name durable. */
export async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(dirname(made));
}

export function isUnfinished(path: string): boolean {
  return basename(path).endsWith(UNFINISHED);
}
