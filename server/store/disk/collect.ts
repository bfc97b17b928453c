import { randomBytes } from 'node:crypto';
import { opendir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errnoOf } from '../storage-errors.ts';
import type { Collected, Collection } from '../store.ts';
import { type Bundle, type BundleEntry, entriesOf } from './bundle.ts';
import type { Disk } from './disk.ts';
import { writeNewFile } from './file.ts';
import { FAN_OUT, ignoring, restoreFromTrash, statOrNull } from './folder.ts';

const FILES_AT_ONCE = 500;
/** A bundle of which less than this is still used is taken apart, and the used artifacts become loose files. */
const WORTH_KEEPING = 0.5;

/** Removes old artifacts that `choose` returns. A bundle that is mostly used stays whole. */
export async function collectDisk(disk: Disk, collection: Collection): Promise<Collected> {
  const collected: Collected = { artifacts: 0, sizeBytes: 0 };
  for (const digit of FAN_OUT) {
    for await (const names of namesIn(join(disk.folders.folder, digit))) {
      collection.signal?.throwIfAborted();
      await collectLoose(disk, collection, names, collected);
    }
  }
  await disk.bundles.look();
  for (const bundle of disk.bundles.all()) {
    collection.signal?.throwIfAborted();
    await collectBundle(disk, collection, bundle, collected);
  }
  return collected;
}

/** Yields the names of artifacts in a folder, some at a time, because it may have millions. */
async function* namesIn(folder: string): AsyncGenerator<string[], void> {
  let names: string[] = [];
  for await (const { name } of await opendir(folder, { bufferSize: FILES_AT_ONCE })) {
    if (!/^[0-9a-f]{64}$/.test(name)) continue;
    names.push(name);
    if (names.length < FILES_AT_ONCE) continue;
    yield names;
    names = [];
  }
  yield names;
}

async function collectLoose(
  { folders }: Disk,
  { before, choose }: Collection,
  names: readonly string[],
  collected: Collected,
): Promise<void> {
  const found = await Promise.all(names.map(async (name) => ({ name, file: await statOrNull(folders.loose(name)) })));
  const old = found.filter(({ file }) => file !== null && file.mtimeMs < before.getTime());
  if (old.length === 0) return;
  const chosen = await choose(old.map(({ name }) => name));
  for (const { name, file } of old) {
    if (!chosen.has(name) || !(await markRemoved(folders.loose(name), folders.trash, before))) continue;
    collected.artifacts += 1;
    collected.sizeBytes += file?.size ?? 0;
  }
}

async function collectBundle(
  disk: Disk,
  { before, choose, signal }: Collection,
  bundle: Bundle,
  collected: Collected,
): Promise<void> {
  const file = await statOrNull(bundle.path);
  if (file === null || file.mtimeMs >= before.getTime()) return;
  const entries = [...entriesOf(bundle)];
  const chosen = await choose(entries.map(({ sha256 }) => sha256));
  const used = entries.filter(({ sha256 }) => !chosen.has(sha256));
  if (chosen.size === 0 || sizeOf(used) > WORTH_KEEPING * (file.size - bundle.index.length)) return;
  for (const entry of used) {
    signal?.throwIfAborted();
    await unbundle(disk, entry);
  }
  if (!(await markRemoved(bundle.path, disk.folders.trash, before))) return;
  await disk.bundles.forget(bundle);
  collected.artifacts += entries.length - used.length;
  collected.sizeBytes += sizeOf(entries) - sizeOf(used);
}

function sizeOf(entries: readonly BundleEntry[]): number {
  return entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** Makes a loose copy of an artifact in a bundle; a corrupted one is lost anyway. */
async function unbundle(disk: Disk, { sha256, sizeBytes }: BundleEntry): Promise<void> {
  const path = disk.folders.loose(sha256);
  if ((await statOrNull(path))?.size === sizeBytes) return;
  const artifact = await disk.openIntact(sha256);
  if (artifact === null) return;
  try {
    await writeNewFile(path, artifact.stream(), { sha256, sizeBytes }, { now: disk.now });
  } finally {
    await artifact.close();
  }
}

/**
 * Removes a file unless it was used again, which renews its age, since it was found to be old. The file is renamed
 * first: a renewal before that is noticed here, and a later one finds no file and writes a new one.
 */
async function markRemoved(path: string, trash: string, before: Date): Promise<boolean> {
  const trashed = join(trash, `${basename(path)}~${randomBytes(6).toString('hex')}`);
  try {
    await rename(path, trashed);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
  const file = await statOrNull(trashed);
  if (file !== null && file.mtimeMs >= before.getTime()) {
    await restoreFromTrash(trashed, path);
    return false;
  }
  await rm(trashed).catch(ignoring('ENOENT'));
  return true;
}
