import type { NameNotice } from '../../routers/schemas/name-notices.ts';
import { readUpload } from '../../routers/schemas/upload-rules.ts';
import { readDirectory } from './zip-directory.ts';
import type { OpenZip } from './zip-file.ts';
import { type PlacedEntry, placeEntries } from './zip-local-headers.ts';
import { ZipRefusal } from './zip-refusal.ts';

/**
 * Reads an archive that somebody may have made to do harm. The cheapest checks come first, and nothing is
 * unpacked before all of this has passed:
 *
 *   end record and count → directory: names, kinds, sizes, ratios (zip-directory.ts) → what stands behind it (zip-end.ts)
 *   → local headers and ranges (zip-local-headers.ts) → the rules of every upload (upload-rules.ts)
 *   → content: budgets, checksum (zip-entry.ts)
 *
 * No name of an archive becomes a path on disk.
 */
export type ZipListing = {
  /** The files to publish, under their final paths, in the order in which they lie in the archive. */
  files: PublishedEntry[];
  leftOut: { path: string; reason: string }[];
  /** Files of the operating system that were dropped. */
  droppedCount: number;
  totalBytes: number;
  /** What is to be said of names that are published as they are. */
  notices: NameNotice[];
};

export type PublishedEntry = { path: string; sizeBytes: number; entry: PlacedEntry };

/** Returns everything before the content. Throws ZipRefusal. */
export async function listZip(file: OpenZip, publishAnyway: readonly string[]): Promise<ZipListing> {
  const directory = await readDirectory(file);
  const placed = placeEntries(file, directory);
  const files = placed.filter((entry) => !entry.isFolder);
  refuseFilesAsFolders(files, placed);
  const offered = files.map((entry) => ({ path: entry.path, sizeBytes: entry.sizeBytes, entry }));
  const reading = readUpload(offered, { publishAnyway, takesRootOff: true });
  if (reading.refusal !== null) throw new ZipRefusal(reading.refusal.reason, reading.refusal.path);
  return {
    files: reading.files,
    leftOut: reading.leftOut.map(({ path, reason }) => ({ path, reason })),
    droppedCount: reading.droppedCount,
    totalBytes: reading.totalBytes,
    notices: reading.notices,
  };
}

/** A folder may have an entry of its own, which no list of files knows of. */
function refuseFilesAsFolders(files: readonly PlacedEntry[], entries: readonly PlacedEntry[]): void {
  const paths = new Set(files.map(({ path }) => path));
  for (const { path, isFolder } of entries) {
    if (isFolder && paths.has(path.slice(0, -1))) throw new ZipRefusal('file_and_folder', path);
  }
}
