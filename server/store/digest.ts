import { createHash } from 'node:crypto';
import { AppError } from '../lib/errors.ts';
import type { ArtifactInfo } from './store.ts';

/** Many small writes cost more than their bytes do. */
export const WRITE_PIECE_BYTES = 1024 * 1024;

type Sink = (pieces: Uint8Array[]) => Promise<void>;
type Announced = { sha256: string; sizeBytes: number };

/** Computes both hashes in one pass and passes pieces of about a megabyte to `sink`. */
export async function digest(source: AsyncIterable<Uint8Array>, sink: Sink): Promise<ArtifactInfo> {
  const sha256 = createHash('sha256');
  const sha1 = createHash('sha1');
  let sizeBytes = 0;
  let pieces: Uint8Array[] = [];
  let pending = 0;
  for await (const piece of source) {
    sizeBytes += piece.byteLength;
    sha256.update(piece);
    sha1.update(piece);
    pieces.push(piece);
    pending += piece.byteLength;
    if (pending < WRITE_PIECE_BYTES) continue;
    await sink(pieces);
    pieces = [];
    pending = 0;
  }
  if (pending > 0) await sink(pieces);
  return { sha256: sha256.digest('hex'), sizeBytes, sha1: sha1.digest('hex') };
}

/**
 * Does the same for bytes whose size and hash were announced. Throws `body_too_large` before they end, `hash_mismatch`.
 */
export async function digestAnnounced(
  source: AsyncIterable<Uint8Array>,
  announced: Announced,
  sink: Sink,
): Promise<ArtifactInfo> {
  const info = await digest(noMoreThan(source, announced.sizeBytes), sink);
  if (info.sizeBytes !== announced.sizeBytes || info.sha256 !== announced.sha256) {
    throw new AppError('hash_mismatch', 'The file that arrived does not match its hash. Send it again.');
  }
  return info;
}

async function* noMoreThan(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  let sizeBytes = 0;
  for await (const piece of source) {
    sizeBytes += piece.byteLength;
    if (sizeBytes > maxBytes) {
      throw new AppError('body_too_large', `This file is larger than the ${maxBytes} bytes in the list of files.`);
    }
    yield piece;
  }
}

/** Yields bytes from memory in pieces of the size that a stream of them would have. */
export async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer, void> {
  for (let start = 0; start < bytes.byteLength; start += WRITE_PIECE_BYTES) {
    yield bytes.subarray(start, start + WRITE_PIECE_BYTES);
  }
}
