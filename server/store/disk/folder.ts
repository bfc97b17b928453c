import { randomBytes } from 'node:crypto';
import { link, opendir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createDurably, isUnfinished, makeFolder, unfinishedName, writeDurably } from '../../lib/durable-file.ts';
import { errnoOf, folderUnusable, isDiskFull } from '../storage-errors.ts';
import type { StoreClock } from '../store.ts';

/** Sixteen folders instead of 256 leave the folders' own blocks in the cache. */
export const FAN_OUT = [...'0123456789abcdef'];
/** Named as in existing data folders. */
const BUNDLES = 'packs';
const QUARANTINE = 'quarantine';
const TRASH = 'trash';
/** A write that has not ended after an hour never will: no request lasts that long. */
const LEFTOVER_MS = 60 * 60_000;
/** Using an artifact again renews its age at most this often; collection begins at an age of a day. */
const YOUNG_MS = 60 * 60_000;

/** Paths below the store's folder. */
export type StoreFolders = {
  folder: string;
  bundles: string;
  quarantine: string;
  trash: string;
  loose(sha256: string): string;
};

/** Returns the paths in the store's folder. */
export function storeFoldersIn(folder: string): StoreFolders {
  return {
    folder,
    bundles: join(folder, BUNDLES),
    quarantine: join(folder, QUARANTINE),
    trash: join(folder, TRASH),
    loose: (sha256) => join(folder, sha256.charAt(0), sha256),
  };
}

/**
 * Creates missing parts of the folder and reads its id. Throws a sentence that names the folder when it cannot be
 * used.
 */
export async function prepareFolder(folder: string): Promise<string> {
  try {
    await makeFolder(folder);
    for (const name of [...FAN_OUT, BUNDLES, QUARANTINE, TRASH]) await makeFolder(join(folder, name));
    const id = await readOrMakeId(folder);
    await writeProbe(folder);
    return id;
  } catch (error) {
    throw folderUnusable(folder, error);
  }
}

/** The id is made once: of two processes that start at once one makes it and both read it. */
async function readOrMakeId(folder: string): Promise<string> {
  const path = join(folder, 'store-id');
  const known = await readIfThere(path);
  if (known !== null) return known;
  try {
    await createDurably(path, `disk:${randomBytes(16).toString('hex')}`);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  return (await readFile(path, 'utf8')).trim();
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** To list this many names takes a hundredth of a second, as long as to look for some hundred. */
const LISTED_MAX = 10_000;

/** Returns the names of all loose artifacts; null when they are too many to be listed. */
export async function listLoose({ folder }: Pick<StoreFolders, 'folder'>): Promise<ReadonlySet<string> | null> {
  const names = new Set<string>();
  for (const digit of FAN_OUT) {
    for await (const { name } of await opendir(join(folder, digit), { bufferSize: 500 })) {
      if (names.size === LISTED_MAX) return null;
      names.add(name);
    }
  }
  return names;
}

/** Throws a sentence that names the folder when it cannot be written and read. */
export async function checkFolder(folder: string): Promise<void> {
  try {
    await writeProbe(folder);
  } catch (error) {
    throw folderUnusable(folder, error);
  }
}

/** A full disk passes the check: the store refuses uploads by itself, and everything else goes on. */
async function writeProbe(folder: string): Promise<void> {
  const probe = randomBytes(16).toString('hex');
  const name = unfinishedName(join(folder, 'probe'));
  try {
    await writeDurably(name, async (file) => void (await file.writeFile(probe)));
    const found = await readFile(name, 'utf8');
    if (found !== probe) throw new Error('other bytes came back than were written');
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  } finally {
    await rm(name, { force: true }).catch(() => undefined);
  }
}

/**
 * Removes leftovers of interrupted writes, and puts back the files that an interrupted collection had renamed: they
 * may have been used again meanwhile, and the next collection finds them otherwise.
 */
export async function sweepFolder({ folder, bundles, trash, loose }: StoreFolders): Promise<number> {
  let swept = 0;
  for (const directory of [folder, bundles, ...FAN_OUT.map((digit) => join(folder, digit))]) {
    for await (const { name } of await opendir(directory)) {
      if (isUnfinished(name)) swept += await removeIfOld(join(directory, name));
    }
  }
  for (const name of await readdir(trash)) {
    const [original = ''] = name.split('~');
    const path = original.includes('.') ? join(bundles, original) : loose(original);
    await restoreFromTrash(join(trash, name), path);
  }
  return swept;
}

/** Gives a file in the trash its name again, unless that was taken or the file has gone meanwhile. */
export async function restoreFromTrash(trashed: string, path: string): Promise<void> {
  await link(trashed, path).catch(ignoring('EEXIST', 'ENOENT'));
  await rm(trashed, { force: true });
}

/** Removes an unfinished file by the system's time, since only finished files are dated by the store's clock. */
async function removeIfOld(path: string): Promise<number> {
  const found = await statOrNull(path);
  if (found === null || Date.now() - found.mtimeMs < LEFTOVER_MS) return 0;
  await rm(path, { force: true });
  return 1;
}

/** Renews the age of a file that is used again; false when it has gone. `found` are its facts from just before. */
export async function renewAge(path: string, found: { mtimeMs: number }, now: StoreClock): Promise<boolean> {
  const at = now();
  if (at.getTime() - found.mtimeMs < YOUNG_MS) return true;
  try {
    await utimes(path, at, at);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Returns null when the file does not exist, or has just gone. */
export async function statOrNull(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Makes a handler that ignores these errors, which occur when another process did the same at the same time. */
export function ignoring(...errnos: string[]): (error: unknown) => void {
  return (error) => {
    if (!errnos.includes(errnoOf(error) ?? '')) throw error;
  };
}
