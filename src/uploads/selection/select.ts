import {
  SELECTION_FILES_MAX,
  type SelectedFile,
  type SelectedFolder,
  type Selection,
  SelectionUnreadable,
} from './selection.ts';
import { readZip } from './zip.ts';

/** More entries asked for their file at once would only queue in the browser. */
const FILES_AT_ONCE = 64;

/**
 * Reads dropped entries to their last file. One folder gives paths below it; one ZIP the files that it lists; several
 * things dropped together keep their names.
 *
 * @throws SelectionUnreadable for an empty folder, an archive that is no ZIP, or more than `SELECTION_FILES_MAX` files
 */
export async function readEntries(
  entries: readonly FileSystemEntry[],
  onProgress: (read: { filesRead: number }) => void = () => undefined,
  signal?: AbortSignal,
): Promise<Selection> {
  const only = entries.length === 1 ? entries[0] : undefined;
  if (only !== undefined && isFileEntry(only)) {
    if (isZipName(only.name)) return readZip(await fileOf(only));
    refuseLone(only.name);
  }
  const root = only !== undefined && isDirectoryEntry(only) ? only : undefined;
  const found = await listFiles(root ? await readDirectory(root) : [...entries], '', signal);
  const files: SelectedFile[] = [];
  for (let start = 0; start < found.length; start += FILES_AT_ONCE) {
    signal?.throwIfAborted();
    const batch = found.slice(start, start + FILES_AT_ONCE);
    files.push(...(await Promise.all(batch.map(async ({ path, entry }) => ({ path, file: await fileOf(entry) })))));
    onProgress({ filesRead: files.length });
  }
  return checked({ name: root?.name ?? '', files });
}

/** Reads the result of a file input: one ZIP, or the files of a folder. */
export async function readChosen(list: readonly File[]): Promise<Selection> {
  const [only] = list;
  const isAlone = list.length === 1 && only !== undefined && !only.webkitRelativePath.includes('/');
  return isAlone && isZipName(only.name) ? readZip(only) : readFileList(list);
}

function isZipName(name: string): boolean {
  return /\.zip$/i.test(name);
}

/** Reads the files of `<input type=file webkitdirectory>`, which know their path below the folder's parent. */
export function readFileList(list: Iterable<File>): SelectedFolder {
  const files = Array.from(list, (file) => ({ path: file.webkitRelativePath || file.name, file }));
  const only = files.length === 1 ? files[0] : undefined;
  if (only !== undefined && !only.path.includes('/')) refuseLone(only.path);
  const roots = new Set(files.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')));
  const [root] = roots;
  if (roots.size !== 1 || root === undefined || root === '') return checked({ name: '', files });
  return checked({ name: root, files: files.map(({ path, file }) => ({ path: path.slice(root.length + 1), file })) });
}

function checked(folder: SelectedFolder): SelectedFolder {
  if (folder.files.length === 0) {
    throw new SelectionUnreadable('This folder holds no files. Choose the folder with your index.html.');
  }
  if (folder.files.length > SELECTION_FILES_MAX) throw tooMany();
  folder.files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return folder;
}

function tooMany(): SelectionUnreadable {
  const limit = SELECTION_FILES_MAX.toLocaleString('en');
  return new SelectionUnreadable(`This is more than ${limit} files. Choose only the folder of the finished site.`);
}

/** Throws for a file that is chosen alone, unless it is a page. */
function refuseLone(name: string): void {
  if (/\.(tar|gz|tgz|bz2|xz|zst|rar|7z)$/i.test(name)) {
    throw new SelectionUnreadable(
      `${name} is an archive, but not a ZIP. Unpack it and choose the folder that comes out.`,
    );
  }
  if (!/\.html?$/i.test(name)) {
    throw new SelectionUnreadable(`${name} is not a website. Choose the folder with your index.html, or a ZIP of it.`);
  }
}

type FoundFile = { path: string; entry: FileSystemFileEntry };

/** Folders are read side by side, each to its end. */
async function listFiles(
  entries: FileSystemEntry[],
  prefix: string,
  signal: AbortSignal | undefined,
  count = { files: 0 },
): Promise<FoundFile[]> {
  signal?.throwIfAborted();
  const lists = await Promise.all(
    entries.map(async (entry): Promise<FoundFile[]> => {
      const path = prefix + entry.name;
      if (isDirectoryEntry(entry)) return listFiles(await readDirectory(entry), `${path}/`, signal, count);
      count.files += 1;
      if (count.files > SELECTION_FILES_MAX) throw tooMany();
      return isFileEntry(entry) ? [{ path, entry }] : [];
    }),
  );
  return lists.flat();
}

/** In Chromium `readEntries` returns at most 100 at a time, and an empty list at the end. */
async function readDirectory(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, (cause) => reject(unreadable(directory.name, cause)));
    });
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, (cause) => reject(unreadable(entry.name, cause))));
}

function unreadable(name: string, cause: unknown): SelectionUnreadable {
  return new SelectionUnreadable(
    `${name} could not be read. Check that you can open it, then choose the folder again.`,
    {
      cause,
    },
  );
}

/** The DOM types tell the two apart by a boolean only. */
function isDirectoryEntry(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFileEntry(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
