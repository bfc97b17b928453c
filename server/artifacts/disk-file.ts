import type { FileHandle } from 'node:fs/promises';
import { writeDurably } from '../durable-file.ts';
import { digestAnnounced } from './digest.ts';
import type { ArtifactInfo, StoreClock } from './store.ts';

/** A new loose artifact, durable when this resolves; nothing is left of it when it fails. */
export async function writeNew(
  path: string,
  source: AsyncIterable<Uint8Array>,
  expected: { sha256: string; sizeBytes: number },
  now: StoreClock,
): Promise<ArtifactInfo> {
  const result: { info: ArtifactInfo | null } = { info: null };
  await writeDurably(path, async (file) => {
    result.info = await digestAnnounced(source, expected, (pieces) => writeAll(file, pieces));
    await date(file, now);
  });
  if (result.info === null) throw new Error('The artifact was written without a digest.');
  return result.info;
}

/** Says when it was written by the store's clock, after the last byte: that is what its age is told by. */
export async function date(file: FileHandle, now: StoreClock): Promise<void> {
  const at = now();
  await file.utimes(at, at);
}

/** Writes all of `pieces` in one go. Throws what the system says, ENOSPC for a full disk. */
export async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  let written = 0;
  // A write may take less than it was given when the disk fills up; the next one then says ENOSPC.
  while (written < bytes.byteLength) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written);
    written += bytesWritten;
  }
}
