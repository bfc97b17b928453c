import { createHash } from 'node:crypto';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { damaged, errnoOf } from './storage-errors.ts';
import type { OpenArtifact } from './store.ts';

/** Performance facts, section 3: large files go out by reads of this size. */
const READ_PIECE_BYTES = 256 * 1024;
/** How many verified artifacts are remembered; one that is forgotten is read once more. */
const VERIFIED_MAX = 100_000;

/** The shape of a file at the moment its hash was right; a file that looks different is read again. */
export type Fingerprint = { inode: number; modifiedMs: number; sizeBytes: number };

export type Wanted = { folder: string; path: string; sha256: string; verified: Map<string, Fingerprint> };

/**
 * Opens an artifact whose bytes are those of its name. The hash is compared on the first opening and whenever the file
 * looks different from when it was right; one that is wrong moves to `quarantine/`.
 */
export async function openVerified(wanted: Wanted): Promise<OpenArtifact> {
  const file = await openIfThere(wanted.path);
  try {
    const { ino, mtimeMs, size } = await file.stat();
    const artifact = openArtifact(file, size);
    const known = wanted.verified.get(wanted.sha256);
    if (known === undefined || known.inode !== ino || known.modifiedMs !== mtimeMs || known.sizeBytes !== size) {
      await verifyHash(wanted, artifact);
      if (wanted.verified.size >= VERIFIED_MAX) wanted.verified.clear();
      wanted.verified.set(wanted.sha256, { inode: ino, modifiedMs: mtimeMs, sizeBytes: size });
    }
    return artifact;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openIfThere(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw damaged('A file of this release is missing from the store.', error);
    throw error;
  }
}

async function verifyHash({ folder, path, sha256 }: Wanted, artifact: OpenArtifact): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of artifact.stream()) hash.update(piece);
  if (hash.digest('hex') === sha256) return;
  await rename(path, join(folder, 'quarantine', sha256)).catch(() => undefined);
  throw damaged('A file of this release is damaged in the store.');
}

function openArtifact(file: FileHandle, sizeBytes: number): OpenArtifact {
  async function read(start: number, end: number): Promise<Buffer> {
    const length = Math.max(0, Math.min(end, sizeBytes) - start);
    const bytes = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled);
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
