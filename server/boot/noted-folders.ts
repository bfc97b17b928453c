import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder, writeDurably } from '../lib/durable-file.ts';

/** Finds the nearest package root above this file, whether it runs from the sources or from the bundle. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** Beside the build, where each start and each command of this copy of Fairlead finds it. */
const NOTES = join(packageRoot(), 'dist', 'data-folders');

/**
 * Notes that this copy of Fairlead was started with this data folder, so that the `fairlead` commands find it without
 * its DATA_DIR. Each has a file of its own, since several instances may start at the same time; those of folders that are
 * gone are removed.
 */
export async function noteDataFolder(path: string, notes = NOTES): Promise<void> {
  await makeFolder(notes);
  const name = createHash('sha256').update(path).digest('hex');
  await writeDurably(join(notes, name), (file) => file.writeFile(path));
  for (const note of await readNotes(notes)) if (!existsSync(note.path)) await rm(note.file, { force: true });
}

/** Returns the noted data folders that are still there; none where the notes belong to another user. */
export async function notedDataFolders(notes = NOTES): Promise<string[]> {
  const paths = (await readNotes(notes)).map(({ path }) => path);
  return paths.filter((path) => existsSync(path));
}

async function readNotes(notes: string): Promise<{ file: string; path: string }[]> {
  const names = await readdir(notes).catch(() => []);
  const files = names.filter((name) => /^[0-9a-f]{64}$/.test(name)).map((name) => join(notes, name));
  return Promise.all(files.map(async (file) => ({ file, path: await readFile(file, 'utf8').catch(() => '') })));
}
