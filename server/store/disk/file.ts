import type { FileHandle } from 'node:fs/promises';
import { writeDurably } from '../../lib/durable-file.ts';
import { digestAnnounced } from '../digest.ts';
import type { ArtifactInfo, StoreClock } from '../store.ts';
import { type Reservation, withinSpace } from './space.ts';

/** Flushing this much takes some hundredths of a second on a fast disk, a third of one on a slow disk. */
const FLUSH_BYTES = 32 * 1024 * 1024;

/**
 * Writes a new loose artifact, which is durable when this resolves; a failure leaves nothing behind. Without a
 * reservation it uses the space that stays free for others, which only collection does, because it frees more than it
 * takes.
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
 * Dates a file by the store's clock, which decides about its age. Must follow the last byte, because a write sets the
 * machine's time.
 */
export async function date(file: FileHandle, now: StoreClock): Promise<void> {
  const at = now();
  await file.utimes(at, at);
}

/**
 * Writes piece after piece, and flushes written ones to the disk while the next arrive, so that a large file does not
 * wait for all of it at its end. `end` throws the error of a failed flush: the system reports it once, to the first
 * caller, and a later flush would not know of it.
 */
export function flushingWriter(file: FileHandle) {
  let unflushed = 0;
  /** The current flush, or the first that failed. */
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

/** Writes all of `pieces` in one go, and returns their size. Throws the error of the system, ENOSPC for a full disk. */
export async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<number> {
  const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  let written = 0;
  // A write may take less than it was given when the disk fills up; the next one then fails with ENOSPC.
  while (written < bytes.byteLength) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written);
    written += bytesWritten;
  }
  return written;
}
