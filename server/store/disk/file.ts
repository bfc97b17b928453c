import type { FileHandle } from 'node:fs/promises';
import { writeDurably } from '../../lib/durable-file.ts';
import { digestAnnounced } from '../digest.ts';
import type { ArtifactInfo, StoreClock } from '../store.ts';
import { type Reservation, withinSpace } from './space.ts';

/** Flushing so much takes some hundredths of a second on a fast disk, a third of one on a slow disk. */
const FLUSH_BYTES = 32 * 1024 * 1024;

/**
 * Returns a new loose artifact, durable when this resolves; nothing is left of it when it fails. Without a reservation
 * it takes the room that is kept free: collection does so, which makes more room than it takes.
 */
export async function writeNewFile(
  path: string,
  source: AsyncIterable<Uint8Array>,
  expected: { sha256: string; sizeBytes: number },
  { now, reservation }: { now: StoreClock; reservation?: Reservation },
): Promise<ArtifactInfo> {
  const result: { info: ArtifactInfo | null } = { info: null };
  await writeDurably(path, async (file) => {
    const writer = flushingWriter(file);
    const write = reservation === undefined ? writer.write : withinSpace(reservation, writer.write);
    result.info = await digestAnnounced(source, expected, write);
    await writer.end();
    await date(file, now);
  });
  if (result.info === null) throw new Error('The artifact was written without a digest.');
  return result.info;
}

/**
 * Dates a file by the store's clock, which its age is told by. Must follow the last byte: a write sets the machine's
 * time.
 */
export async function date(file: FileHandle, now: StoreClock): Promise<void> {
  const at = now();
  await file.utimes(at, at);
}

/**
 * Writes piece after piece, and has the disk take what was written while the next pieces come: a large file would
 * otherwise wait for all of it at its end. `end` throws what a flush met meanwhile: the system tells it once, to the
 * first who asks, and a later flush would not know of it.
 */
export function flushingWriter(file: FileHandle) {
  let unflushed = 0;
  /** The flush that runs, or the first that failed. */
  let flush: Promise<void> | null = null;
  let hasFailed = false;

  return {
    async write(pieces: readonly Uint8Array[]): Promise<void> {
      if (hasFailed) await flush;
      unflushed += await writeAll(file, pieces);
      if (unflushed < FLUSH_BYTES || flush !== null) return;
      unflushed = 0;
      flush = file.datasync().then(() => {
        flush = null;
      });
      // Thrown by the next `write`, or by `end`.
      flush.catch(() => {
        hasFailed = true;
      });
    },
    async end(): Promise<void> {
      await flush;
    },
  };
}

/** Writes all of `pieces` in one go, and says how many bytes they are. Throws what the system says, ENOSPC for a full disk. */
export async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<number> {
  const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  let written = 0;
  // A write may take less than it was given when the disk fills up; the next one then says ENOSPC.
  while (written < bytes.byteLength) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written);
    written += bytesWritten;
  }
  return written;
}
