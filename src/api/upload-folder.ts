import {
  FolderUnreadable,
  type Picked,
  type PickedFile,
  type PickedFolder,
  type PickedZip,
  READ_STOP_FILES,
} from './upload-picks.ts';

export type FolderRead = { filesRead: number };

/** Entries asked for their file at once; more only queues in the browser. */
const FILES_AT_ONCE = 64;

/**
 * Reads dropped entries to their last file. One folder gives paths below it; one ZIP what it lists; several things
 * dropped together keep their names.
 *
 * @throws FolderUnreadable for an empty folder, an archive that is no ZIP, or more than `READ_STOP_FILES` files
 */
export async function readEntries(
  entries: readonly FileSystemEntry[],
  onProgress: (read: FolderRead) => void = () => undefined,
  signal?: AbortSignal,
): Promise<Picked> {
  const only = entries.length === 1 ? entries[0] : undefined;
  if (only !== undefined && isFileEntry(only)) {
    if (isZipName(only.name)) return readZipLater(await fileOf(only));
    refuseArchive(only.name);
  }
  const root = only !== undefined && isDirectoryEntry(only) ? only : undefined;
  const found = await listFiles(root ? await readDirectory(root) : [...entries], '', signal);
  const files: PickedFile[] = [];
  for (let start = 0; start < found.length; start += FILES_AT_ONCE) {
    signal?.throwIfAborted();
    const batch = found.slice(start, start + FILES_AT_ONCE);
    files.push(...(await Promise.all(batch.map(async ({ path, entry }) => ({ path, file: await fileOf(entry) })))));
    onProgress({ filesRead: files.length });
  }
  return checked({ name: root?.name ?? '', files });
}

/** The same from a file input: one ZIP, or the files of a folder. */
export async function readChosen(list: readonly File[]): Promise<Picked> {
  const [only] = list;
  const isAlone = list.length === 1 && only !== undefined && !only.webkitRelativePath.includes('/');
  return isAlone && isZipName(only.name) ? readZipLater(only) : readFileList(list);
}

/** Fetched with the first ZIP: who drops a folder goes without it. */
async function readZipLater(file: File): Promise<PickedZip> {
  const { readZip } = await import('./upload-zip.ts');
  return readZip(file);
}

function isZipName(name: string): boolean {
  return /\.zip$/i.test(name);
}

/** From `<input type=file webkitdirectory>`, whose files know their path below the folder's parent. */
export function readFileList(list: Iterable<File>): PickedFolder {
  const files = Array.from(list, (file) => ({ path: file.webkitRelativePath || file.name, file }));
  const only = files.length === 1 ? files[0] : undefined;
  if (only !== undefined && !only.path.includes('/')) refuseArchive(only.path);
  const roots = new Set(files.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')));
  const [root] = roots;
  if (roots.size !== 1 || root === undefined || root === '') return checked({ name: '', files });
  return checked({ name: root, files: files.map(({ path, file }) => ({ path: path.slice(root.length + 1), file })) });
}

function checked(folder: PickedFolder): PickedFolder {
  if (folder.files.length === 0) {
    throw new FolderUnreadable('This folder holds no files. Choose the folder that holds your index.html.');
  }
  if (folder.files.length > READ_STOP_FILES) throw tooMany();
  folder.files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return folder;
}

function tooMany(): FolderUnreadable {
  const limit = READ_STOP_FILES.toLocaleString('en');
  return new FolderUnreadable(`This is more than ${limit} files. Choose the folder of the finished site alone.`);
}

function refuseArchive(name: string): void {
  if (/\.(tar|gz|tgz|bz2|xz|zst|rar|7z)$/i.test(name)) {
    throw new FolderUnreadable(`${name} is an archive that is no ZIP. Unpack it and drop the folder that comes out.`);
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
      if (count.files > READ_STOP_FILES) throw tooMany();
      return isFileEntry(entry) ? [{ path, entry }] : [];
    }),
  );
  return lists.flat();
}

/** `readEntries` hands out at most 100 at a time in Chromium and says that it is done by an empty list. */
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

function unreadable(name: string, cause: unknown): FolderUnreadable {
  return new FolderUnreadable(`${name} could not be read. See that you may open it, then drop the folder again.`, {
    cause,
  });
}

/** The DOM types tell the two apart by a boolean only. */
function isDirectoryEntry(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFileEntry(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
