import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { damaged, errnoOf } from './storage-errors.ts';
import type { OpenArtifact } from './store.ts';

/** Performance facts, section 3: large files go out by reads of this size. */
const READ_PIECE_BYTES = 256 * 1024;
/** How many verified artifacts are remembered; one that is forgotten is read once more. */
const VERIFIED_MAX = 100_000;

/** The shape of a file at the moment its hash was right; a file that looks different is read again. */
export type Fingerprint = { inode: number; modifiedMs: number; sizeBytes: number };

/** Where an artifact's bytes are: a whole file, or a part of a pack. */
export type Place = { path: string; part: { offset: number; sizeBytes: number } | null };

/**
 * Opens an artifact at this place if its bytes are those of its name; null when there is no such file, `damaged` when it
 * has other bytes. The hash is compared on the first opening and whenever the file looks different from when it was right.
 */
export async function openVerified(
  place: Place,
  sha256: string,
  verified: Map<string, Fingerprint>,
): Promise<OpenArtifact | 'damaged' | null> {
  const file = await openIfThere(place.path);
  if (file === null) return null;
  try {
    const { ino, mtimeMs, size } = await file.stat();
    const { offset, sizeBytes } = place.part ?? { offset: 0, sizeBytes: size };
    const artifact = openArtifact(file, offset, sizeBytes);
    const known = verified.get(sha256);
    if (known?.inode === ino && known.modifiedMs === mtimeMs && known.sizeBytes === size) return artifact;
    if (offset + sizeBytes > size || (await hashOf(artifact)) !== sha256) {
      await file.close();
      return 'damaged';
    }
    if (verified.size >= VERIFIED_MAX) verified.clear();
    verified.set(sha256, { inode: ino, modifiedMs: mtimeMs, sizeBytes: size });
    return artifact;
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

async function hashOf(artifact: OpenArtifact): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of artifact.stream()) hash.update(piece);
  return hash.digest('hex');
}

function openArtifact(file: FileHandle, offset: number, sizeBytes: number): OpenArtifact {
  async function read(start: number, end: number): Promise<Buffer> {
    const length = Math.max(0, Math.min(end, sizeBytes) - start);
    const bytes = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await file.read(bytes, filled, length - filled, offset + start + filled);
      if (bytesRead === 0) throw damaged('A file of this release became shorter in the store.');
      filled += bytesRead;
    }
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
    close: () => file.close(),
  };
}
