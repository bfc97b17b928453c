import { open } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * A bundle holds the artifacts of one intake in one file, which costs one fsync instead of thousands.
 *
 * bytes of the artifacts, one after the other index: rows of hash (32 bytes), offset (6), size (6), sorted by hash
 * end: magic (8), number of rows (4)
 *
 * It is written under a temporary name and never changes under its final one, so that a visible bundle is complete. The
 * index has no digest: a wrong row leads to bytes that do not have its hash, and affects no other row. Its
 * ending and its magic are those of the files in existing data folders.
 */
export const BUNDLE_ENDING = '.pack';

const MAGIC = Buffer.from('FLPACK01', 'latin1');
const HASH_BYTES = 32;
const NUMBER_BYTES = 6;
const PREFIX_BYTES = 6;
const ROW_BYTES = HASH_BYTES + 2 * NUMBER_BYTES;
const END_BYTES = MAGIC.length + 4;

export type BundleEntry = { sha256: string; offset: number; sizeBytes: number };

export type Bundle = {
  id: string;
  path: string;
  index: Buffer;
  /** Artifacts in its bytes that count as missing: found corrupted, or removed on their own. */
  gone: Set<string>;
};

/** Returns the bundle as a reader would read it, made from the written entries; `tail` is still to be written. */
export function bundleOf(path: string, entries: readonly BundleEntry[]): { bundle: Bundle; tail: Buffer } {
  const index = Buffer.alloc(entries.length * ROW_BYTES);
  const sorted = [...entries].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  for (const [row, entry] of sorted.entries()) {
    const at = row * ROW_BYTES;
    index.write(entry.sha256, at, 'hex');
    index.writeUIntBE(entry.offset, at + HASH_BYTES, NUMBER_BYTES);
    index.writeUIntBE(entry.sizeBytes, at + HASH_BYTES + NUMBER_BYTES, NUMBER_BYTES);
  }
  const count = Buffer.alloc(4);
  count.writeUInt32BE(entries.length);
  return { bundle: bundleAt(path, index), tail: Buffer.concat([index, MAGIC, count]) };
}

function bundleAt(path: string, index: Buffer): Bundle {
  return { id: basename(path, BUNDLE_ENDING), path, index, gone: new Set() };
}

/** Reads the index of a bundle; null when its end is damaged. Throws ENOENT when it has gone meanwhile. */
export async function readBundle(path: string): Promise<Bundle | null> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size < END_BYTES) return null;
    const { buffer: end } = await file.read(Buffer.alloc(END_BYTES), 0, END_BYTES, size - END_BYTES);
    const bytes = end.readUInt32BE(MAGIC.length) * ROW_BYTES;
    const start = size - END_BYTES - bytes;
    if (!end.subarray(0, MAGIC.length).equals(MAGIC) || start < 0) return null;
    const { buffer: index } = await file.read(Buffer.alloc(bytes), 0, bytes, start);
    return bundleAt(path, index);
  } finally {
    await file.close();
  }
}

/** Yields the first 48 bits of every hash in the bundle, whether or not it counts as missing. */
export function* prefixesOf({ index }: Bundle): Generator<number, void> {
  for (let at = 0; at < index.length; at += ROW_BYTES) yield index.readUIntBE(at, PREFIX_BYTES);
}

/** The first 48 bits of a hash: few enough for a number, and enough to tell all but a handful of artifacts apart. */
export function prefixOf(sha256: string): number {
  return Number.parseInt(sha256.slice(0, 2 * PREFIX_BYTES), 16);
}

/** Returns the position of an artifact in the bundle; null when it is not in there, or not any more. */
export function findInBundle(bundle: Bundle, sha256: string): BundleEntry | null {
  const wanted = Buffer.from(sha256, 'hex');
  let low = 0;
  let high = bundle.index.length / ROW_BYTES - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = bundle.index.compare(wanted, 0, HASH_BYTES, middle * ROW_BYTES, middle * ROW_BYTES + HASH_BYTES);
    if (order === 0) return bundle.gone.has(sha256) ? null : entryAt(bundle, middle);
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

/** Yields all artifacts that the bundle still has, by hash. */
export function* entriesOf(bundle: Bundle): Generator<BundleEntry, void> {
  for (let row = 0; row * ROW_BYTES < bundle.index.length; row += 1) {
    const entry = entryAt(bundle, row);
    if (!bundle.gone.has(entry.sha256)) yield entry;
  }
}

function entryAt({ index }: Bundle, row: number): BundleEntry {
  const at = row * ROW_BYTES;
  return {
    sha256: index.toString('hex', at, at + HASH_BYTES),
    offset: index.readUIntBE(at + HASH_BYTES, NUMBER_BYTES),
    sizeBytes: index.readUIntBE(at + HASH_BYTES + NUMBER_BYTES, NUMBER_BYTES),
  };
}
