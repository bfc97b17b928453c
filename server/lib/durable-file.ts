import { type FileHandle, link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** The name of every incomplete file ends with this. */
const UNFINISHED = '.tmp';

let writes = 0;

/** Returns a name beside `path` that no other write of this or another process uses. */
export function unfinishedName(path: string): string {
  writes += 1;
  return `${path}.${process.pid}.${Date.now().toString(36)}${writes.toString(36)}${UNFINISHED}`;
}

/**
 * Writes a file (0600) so that a reader, also one after a crash, finds the old bytes or the new ones and never a part:
 * temporary name, fsync, rename, fsync of the folder. `fill` writes into the open file; when it
 * throws nothing is left behind.
 */
export async function writeDurably(path: string, fill: (file: FileHandle) => Promise<void>): Promise<void> {
  await writeSynced(path, fill);
  await syncFolder(dirname(path));
}

/** Works like `writeDurably`, but a power cut may take the name until the folder is synced: once, for many files. */
export async function writeSynced(path: string, fill: (file: FileHandle) => Promise<void>): Promise<void> {
  await writeBeside(path, fill, (unfinished) => rename(unfinished, path));
}

/**
 * Works like `writeDurably`, but never replaces a file: where the name is taken it fails with EEXIST, as O_EXCL does.
 */
export async function createDurably(path: string, text: string): Promise<void> {
  await writeBeside(
    path,
    (file) => file.writeFile(text),
    async (unfinished) => {
      await link(unfinished, path);
      await rm(unfinished);
    },
  );
  await syncFolder(dirname(path));
}

async function writeBeside(
  path: string,
  fill: (file: FileHandle) => Promise<void>,
  giveName: (unfinished: string) => Promise<void>,
): Promise<void> {
  const unfinished = unfinishedName(path);
  try {
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await fill(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await giveName(unfinished);
  } catch (error) {
    // A full disk leaves the part that fitted: it would keep the disk full.
    await rm(unfinished, { force: true });
    throw error;
  }
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

/**
 * Makes the folder and its parents, readable for the owner alone, with durable names; a name that is taken, by a
 * folder or anything else, is left as it is. It does not use `recursive`: below a folder like /proc, where nothing can
 * be made, Node 20 tries for ever.
 */
export async function makeFolder(folder: string): Promise<void> {
  const parent = dirname(folder);
  try {
    if (!(await isMade(folder))) return;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || (await isThere(parent))) throw error;
    await makeFolder(parent);
    if (!(await isMade(folder))) return;
  }
  await syncFolder(parent);
}

/** Makes one folder; returns false when the name was taken already. */
async function isMade(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Returns the system's name of an error, like ENOENT, or undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Returns whether `unfinishedName` made this name: the file is left from a process that died, or is being written now.
 */
export function isUnfinished(path: string): boolean {
  return basename(path).endsWith(UNFINISHED);
}
