/**
 * The copy of an upload in the browser's private file system: one file with all the bytes after one another, `{id}.pack`,
 * and one that says what they are, `{id}.json`, written last. One large file is written and read many times faster than
 * twenty thousand small ones. Workers alone can write there in every browser (File System standard, synchronous access).
 */
export type PackedRow = {
  path: string;
  sizeBytes: number;
  lastModified: number;
  /** Where its bytes begin; null for what cannot be published, of which only the name is kept. */
  offset: number | null;
  sha256: string | null;
};

const FOLDER = 'fairlead-uploads';

/** Part of the File System standard that TypeScript's DOM library leaves to its library for workers. */
type SyncAccessHandle = {
  write(bytes: Uint8Array<ArrayBuffer>, options: { at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
};

export type PackWriter = {
  write(bytes: Uint8Array<ArrayBuffer>, at: number): void;
  /** The copy is whole from here on. */
  finish(rows: readonly PackedRow[]): Promise<void>;
  /** Takes away what was written. */
  discard(): Promise<void>;
};

/** Opens the copy `id` for writing, with room for so many bytes. Throws where there is no room or no such file system. */
export async function createPack(id: string, sizeBytes: number): Promise<PackWriter> {
  const folder = await openFolder();
  const handle = await openForWriting(await folder.getFileHandle(packName(id), { create: true }));
  const discard = async () => {
    handle.close();
    await removePack(id);
  };
  const write = (bytes: Uint8Array<ArrayBuffer>, at: number) => {
    if (handle.write(bytes, { at }) !== bytes.byteLength) throw new Error('The private file system took a part only.');
  };
  try {
    handle.truncate(sizeBytes);
  } catch (cause) {
    await discard();
    throw cause;
  }
  return {
    write,
    discard,
    finish: async (rows) => {
      handle.flush();
      handle.close();
      const index = await openForWriting(await folder.getFileHandle(indexName(id), { create: true }));
      const bytes = new TextEncoder().encode(JSON.stringify(rows));
      try {
        index.truncate(0);
        if (index.write(bytes, { at: 0 }) !== bytes.byteLength) throw new Error('No room for the list.');
        index.flush();
      } finally {
        index.close();
      }
    },
  };
}

/** The rows and bytes of a whole copy. Throws where there is none. */
export async function readPack(id: string): Promise<{ rows: PackedRow[]; pack: File }> {
  const folder = await openFolder();
  const index = await (await folder.getFileHandle(indexName(id))).getFile();
  const pack = await (await folder.getFileHandle(packName(id))).getFile();
  return { rows: rowsOf(await index.text()), pack };
}

/** What is gone already is no error; everything else of the file system is thrown. */
export async function removePack(id: string): Promise<void> {
  const folder = await openFolder();
  for (const name of [indexName(id), packName(id)]) {
    await folder.removeEntry(name).catch((cause: unknown) => {
      if (!(cause instanceof DOMException && cause.name === 'NotFoundError')) throw cause;
    });
  }
}

/** Every copy that has left a file here. */
export async function listPacks(): Promise<string[]> {
  const ids = new Set<string>();
  for await (const name of namesIn(await openFolder())) ids.add(name.replace(/\.(pack|json)$/, ''));
  return [...ids];
}

/** There is none on an origin that is no secure context, and in some private windows asking for it throws. */
export function hasPrivateFiles(): boolean {
  return globalThis.isSecureContext && typeof navigator.storage?.getDirectory === 'function';
}

async function openFolder(): Promise<FileSystemDirectoryHandle> {
  return (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
}

const packName = (id: string): string => `${id}.pack`;
const indexName = (id: string): string => `${id}.json`;

/** Every browser of the list has it, in workers (platforms: product page, section 10). */
function openForWriting(handle: FileSystemFileHandle): Promise<SyncAccessHandle> {
  return (
    handle as FileSystemFileHandle & { createSyncAccessHandle(): Promise<SyncAccessHandle> }
  ).createSyncAccessHandle();
}

/** Directory handles are asynchronous iterables of names by their standard; the DOM library has it in a part of its own. */
function namesIn(folder: FileSystemDirectoryHandle): AsyncIterable<string> {
  return (folder as FileSystemDirectoryHandle & { keys(): AsyncIterable<string> }).keys();
}

/** Only `finish` writes it, and only as a whole. */
function rowsOf(json: string): PackedRow[] {
  return JSON.parse(json) as PackedRow[];
}
