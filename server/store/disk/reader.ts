import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { corrupted, errnoOf } from '../storage-errors.ts';
import type { OpenArtifact } from '../store.ts';
import { type BorrowedFile, type Fingerprint, fingerprintOf, type OpenBundles } from './open-bundles.ts';

/** Large files are sent by reads of this size: smaller ones cost more calls, larger ones only memory. */
const READ_PIECE_BYTES = 256 * 1024;
/**
 * The number of verified artifacts that are remembered, some 200 bytes each; a forgotten one is read once more. It is
 * given as a size, because with `max` the cache would reserve 4 MB for all of them at once.
 */
export const VERIFIED = { maxSize: 100_000, sizeCalculation: () => 1 };

/** Artifacts whose bytes had the right hash, with the facts of their file at that moment. */
export type Verified = LRUCache<string, Fingerprint>;

export function rememberVerified(): Verified {
  return new LRUCache(VERIFIED);
}

/** Shared by all reads of one store. */
export type Reading = { verified: Verified; openBundles: OpenBundles };

/** The location of an artifact's bytes: a whole file, or a range of a bundle. */
export type BytesLocation = { path: string; range: ByteRange | null };
type ByteRange = { offset: number; sizeBytes: number };

export type OpenAt = (
  location: BytesLocation,
  sha256: string,
  reading: Reading,
) => Promise<OpenArtifact | 'corrupted' | null>;

/** Opens the file at this location without a check of its bytes; null when there is none. */
export const openUnverified: OpenAt = async (location, _sha256, { openBundles }) => {
  const opened = await openLocation(location, openBundles);
  return opened === null ? null : openArtifact(opened, rangeOf(location, opened));
};

/**
 * Opens an artifact at this location after its hash was verified; null when there is no such file, `corrupted` when it
 * has other bytes. The hash is compared on the first opening and whenever the file looks different from then.
 */
export const openVerified: OpenAt = async (location, sha256, { verified, openBundles }) => {
  const opened = await openLocation(location, openBundles);
  if (opened === null) return null;
  try {
    const { fingerprint } = opened;
    const range = rangeOf(location, opened);
    const artifact = openArtifact(opened, range);
    if (isSame(verified.get(sha256), fingerprint)) return artifact;
    if (range.offset + range.sizeBytes > fingerprint.sizeBytes || !(await isIntact(opened, range, sha256))) {
      await opened.close();
      return 'corrupted';
    }
    verified.set(sha256, fingerprint);
    return artifact;
  } catch (error) {
    await opened.close();
    throw error;
  }
};

function openLocation({ path, range }: BytesLocation, openBundles: OpenBundles): Promise<BorrowedFile | null> {
  return range === null ? openAlone(path) : openBundles.borrow(path);
}

function rangeOf({ range }: BytesLocation, { fingerprint }: BorrowedFile): ByteRange {
  return range ?? { offset: 0, sizeBytes: fingerprint.sizeBytes };
}

function isSame(known: Fingerprint | undefined, { inode, modifiedMs, sizeBytes }: Fingerprint): boolean {
  return known?.inode === inode && known.modifiedMs === modifiedMs && known.sizeBytes === sizeBytes;
}

async function openAlone(path: string): Promise<BorrowedFile | null> {
  const file = await openIfThere(path);
  if (file === null) return null;
  try {
    return { file, fingerprint: fingerprintOf(await file.stat()), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Returns whether these are the bytes of this hash. They are read a second time before the answer is no, because a
 * corrupted artifact is moved out for good, and a disk, a cable or memory may misread once.
 */
async function isIntact({ file }: BorrowedFile, range: ByteRange, sha256: string): Promise<boolean> {
  return (await hashOfRange(file, range)) === sha256 || (await hashOfRange(file, range)) === sha256;
}

/** Reads all pieces into one buffer: those of many files would wait for the garbage collector together. */
async function hashOfRange(file: FileHandle, { offset, sizeBytes }: ByteRange): Promise<string> {
  const hash = createHash('sha256');
  const bytes = Buffer.allocUnsafeSlow(Math.min(sizeBytes, READ_PIECE_BYTES));
  for (let at = 0; at < sizeBytes; at += bytes.length) {
    const piece = bytes.subarray(0, sizeBytes - at);
    await fill(file, piece, offset + at);
    hash.update(piece);
  }
  return hash.digest('hex');
}

async function fill(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let filled = 0; filled < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, position + filled);
    if (bytesRead === 0) throw corrupted('A file of this release was cut short in the store.');
    filled += bytesRead;
  }
}

function openArtifact({ file, close }: BorrowedFile, { offset, sizeBytes }: ByteRange): OpenArtifact {
  async function read(start: number, end: number): Promise<Buffer> {
    const length = Math.max(0, Math.min(end, sizeBytes) - start);
    const bytes = Buffer.allocUnsafeSlow(length);
    await fill(file, bytes, offset + start);
    return bytes;
  }
  return {
    sizeBytes,
    read,
    async *stream(start = 0, end = sizeBytes) {
      const last = Math.min(end, sizeBytes);
      for (let at = start; at < last; at += READ_PIECE_BYTES)
        yield await read(at, Math.min(at + READ_PIECE_BYTES, last));
    },
    close,
  };
}
