import { isPrivateKey, KEY_READ_BYTES, mayBePrivateKey } from '../../../routers/rules/uploads/private-keys.ts';
import { readUpload, withoutPrivateKeys } from '../../../routers/rules/uploads/upload-rules.ts';
import type { NameNotice } from '../../../routers/schemas/name-notices.ts';
import { readDirectory } from './directory.ts';
import { withoutPadding } from './end.ts';
import { isSmall, makeScratch, readEntry, streamEntry } from './entry.ts';
import type { OpenZip } from './file.ts';
import { placeEntries } from './local-headers.ts';
import { type NamedEntry, nameEntries } from './names.ts';
import { ZipRefusal } from './refusal.ts';

/**
 * Reads an archive that may have been made to do harm. The cheapest checks come first:
 *
 * end record and count → directory: kinds, sizes, ratios (directory.ts) → the records behind it (end.ts) → local
 * headers and ranges (local-headers.ts) → names (names.ts) → the rules of every upload (upload-rules.ts) → private
 * keys (private-keys.ts) → content: budgets, checksum (entry.ts)
 *
 * No entry is unpacked before its place is known to be its own. Only two kinds are unpacked before the last step: a
 * few pages, whose links tell the encoding of names, and files that may be private keys. No name of an archive becomes
 * a path on disk.
 */

export type ZipListing = {
  /** The files to publish, under their final paths, in the order of the archive. */
  files: PublishedEntry[];
  leftOut: { path: string; reason: string }[];
  /** Files of the operating system that were dropped. */
  droppedCount: number;
  totalBytes: number;
  /** Notices about names that are published unchanged. */
  notices: NameNotice[];
};

export type PublishedEntry = { path: string; sizeBytes: number; entry: NamedEntry };

/** Returns everything before the content. Throws ZipRefusal. */
export async function listZip(padded: OpenZip, publishAnyway: readonly string[]): Promise<ZipListing> {
  const file = withoutPadding(padded);
  const directory = await readDirectory(file);
  const entries = nameEntries(file, placeEntries(file, directory));
  const files = entries.filter((entry) => !entry.isFolder);
  refuseFilesAsFolders(files, entries);
  const offered = files.map((entry) => ({
    path: entry.path,
    sizeBytes: entry.sizeBytes,
    encoding: entry.encoding,
    isLink: entry.kind === 'link',
    entry,
  }));
  const named = readUpload(offered, { publishAnyway, takesRootOff: true });
  const keys = named.refusal === null ? await privateKeys(file, named.files) : new Set();
  const reading = withoutPrivateKeys(named, (one) => keys.has(one));
  const { refusal } = reading;
  if (refusal !== null) throw new ZipRefusal(refusal.reason, refusal.path, refusal.message);
  return {
    files: reading.files,
    leftOut: reading.leftOut.map(({ path, reason }) => ({ path, reason })),
    droppedCount: reading.droppedCount,
    totalBytes: reading.totalBytes,
    notices: reading.notices,
  };
}

/** Returns those of the files whose content is a private key. */
async function privateKeys(file: OpenZip, files: readonly PublishedEntry[]): Promise<Set<PublishedEntry>> {
  const asked = files.filter(({ path }) => mayBePrivateKey(path));
  const scratch = asked.length > 0 ? makeScratch() : Buffer.alloc(0);
  const keys = new Set<PublishedEntry>();
  for (const one of asked) {
    const start = isSmall(one.entry) ? readEntry(file, one.entry, scratch) : await firstPiece(file, one.entry);
    if (isPrivateKey(one.path, start.subarray(0, KEY_READ_BYTES))) keys.add(one);
  }
  return keys;
}

async function firstPiece(file: OpenZip, entry: NamedEntry): Promise<Buffer> {
  for await (const piece of streamEntry(file, entry)) return piece;
  return Buffer.alloc(0);
}

/** A folder may have an entry of its own, which the list of files does not contain. */
function refuseFilesAsFolders(files: readonly NamedEntry[], entries: readonly NamedEntry[]): void {
  const paths = new Set(files.map(({ path }) => path));
  for (const { path, isFolder } of entries) {
    if (isFolder && paths.has(path.slice(0, -1))) throw new ZipRefusal('file_and_folder', path);
  }
}
