/** One file of a folder: `path` is below the folder's own name, with `/` between its parts. */
export type PickedFile = { path: string; file: File };
/** A folder that a person dropped or chose. `name` is empty when loose files were dropped. */
export type PickedFolder = { name: string; files: PickedFile[] };
/** A file inside a ZIP. `unpack` reads it anew each time, and holds it against what the ZIP says of it. */
export type PackedFile = { path: string; sizeBytes: number; unpack(): Promise<File> };
/**
 * A ZIP that was dropped or chosen, with what its directory lists. `within` is the one folder of it that is wanted, under
 * which `entries` have their paths; empty for the whole.
 */
export type PickedZip = { name: string; zip: File; within: string; entries: PackedFile[] };
export type Picked = PickedFolder | PickedZip;
/** A file as it was picked, under the path that it is published with. */
export type OfferedPick = { path: string; sizeBytes: number; source: PickedFile | PackedFile };

/** Far above what a release may hold: a drop of a whole disk ends here instead of in the browser's memory. */
export const READ_STOP_FILES = 100_000;

/** A sentence for a person: why what was dropped can be read neither as a folder nor as a ZIP. */
export class FolderUnreadable extends Error {
  override name = 'FolderUnreadable';
}

/** Chosen as one ZIP, and not as files. */
export function isZip(picked: Picked): picked is PickedZip {
  return 'zip' in picked;
}

/** How many files and bytes were picked: of a ZIP, once it is unpacked. */
export function extentOf(picked: Picked): { fileCount: number; totalBytes: number } {
  const sizes = isZip(picked)
    ? picked.entries.map(({ sizeBytes }) => sizeBytes)
    : picked.files.map(({ file }) => file.size);
  return { fileCount: sizes.length, totalBytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** The same folder or ZIP with these of its files, under these paths. */
export function picksOf(picked: Picked, offered: readonly OfferedPick[]): Picked {
  if (!isZip(picked)) {
    const files = offered.flatMap(({ path, source }) => ('file' in source ? [{ path, file: source.file }] : []));
    return { name: picked.name, files };
  }
  const entries = offered.flatMap(({ path, source }) => ('unpack' in source ? [{ ...source, path }] : []));
  return { ...picked, entries };
}

/** One folder inside, as if it had been picked in the place of the whole. `folder` is named below the single root. */
export function picksWithin(picked: Picked, folder: string, files: readonly OfferedPick[]): Picked {
  const prefix = `${folder}/`;
  const inside = files
    .filter(({ path }) => path.startsWith(prefix))
    .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
  const picks = picksOf(picked, inside);
  return isZip(picks) ? { ...picks, within: folder } : picks;
}

/**
 * Takes the entries out of a drop. It must run before the first `await` of the handler: the list of a DataTransfer is
 * empty afterwards (HTML standard, drag data store).
 */
export function entriesOfDrop(transfer: Pick<DataTransfer, 'items'>): FileSystemEntry[] {
  return Array.from(transfer.items)
    .filter((item) => item.kind === 'file')
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
}
