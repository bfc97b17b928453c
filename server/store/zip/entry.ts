import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw, type InflateRaw, inflateRawSync } from 'node:zlib';
import { DEFLATED } from './directory.ts';
import { type OpenZip, readAt } from './file.ts';
import type { PlacedEntry } from './local-headers.ts';
import { ZipRefusal } from './refusal.ts';

/**
 * Up to this size an entry is read, unpacked and passed on whole, because in pieces a small one costs more messages
 * than bytes.
 */
export const WHOLE_MAX_BYTES = 2 * 1024 * 1024;
/** With its default of 16 KB, zlib takes seven times as long for a large content. */
const PIECE_BYTES = 1024 * 1024;
const CHUNK_MIN_BYTES = 64;

/** True for an entry that is read and unpacked in memory, without a stream. */
export function isSmall(entry: PlacedEntry): boolean {
  return Math.max(entry.sizeBytes, entry.compressedBytes) <= WHOLE_MAX_BYTES;
}

/** Makes a buffer for the packed content of any small entry. */
export function makeScratch(): Buffer {
  return Buffer.allocUnsafeSlow(WHOLE_MAX_BYTES);
}

/**
 * Returns the content of a small entry; that of a stored one is in `scratch`, until the next call. Throws ZipRefusal.
 */
export function readEntry(file: OpenZip, entry: PlacedEntry, scratch: Buffer): Buffer {
  const packed = readAt(file, scratch, entry.dataStart, entry.compressedBytes);
  const bytes = isPacked(entry) ? inflateWhole(packed, entry) : packed;
  if (bytes.length !== entry.sizeBytes) throw new ZipRefusal('size_wrong', entry.path);
  if (crc32(bytes) !== entry.checksum) throw new ZipRefusal('checksum_wrong', entry.path);
  return bytes;
}

/** Some packers write "deflated" for an empty file. */
function isPacked({ method, compressedBytes }: PlacedEntry): boolean {
  return method === DEFLATED && compressedBytes > 0;
}

function inflateWhole(packed: Buffer, { sizeBytes, path }: PlacedEntry): Buffer {
  try {
    // One more than there is, because zlib asks for a second piece when the first is full to its last byte.
    const chunkSize = Math.max(CHUNK_MIN_BYTES, sizeBytes + 1);
    const { buffer, engine } = withEngine(
      inflateRawSync(packed, { chunkSize, maxOutputLength: Math.max(1, sizeBytes), info: true }),
    );
    if (engine.bytesWritten !== packed.length) throw new ZipRefusal('data_corrupted', path);
    return buffer;
  } catch (error) {
    throw refusalOf(error, path);
  }
}

/** With `info` zlib returns both (Node's manual, "Class: Options"); its types have only the buffer. */
function withEngine(result: unknown): { buffer: Buffer; engine: { bytesWritten: number } } {
  return result as { buffer: Buffer; engine: { bytesWritten: number } };
}

/**
 * Yields the content of an entry of any size, piece by piece; an error may be known only at its end. Throws
 * ZipRefusal.
 */
export async function* streamEntry(file: OpenZip, entry: PlacedEntry): AsyncGenerator<Buffer> {
  const inflate = isPacked(entry) ? createInflateRaw({ chunkSize: PIECE_BYTES }) : null;
  let sizeBytes = 0;
  let checksum = 0;
  try {
    for await (const piece of inflate === null ? packedPieces(file, entry) : joined(file, entry, inflate)) {
      sizeBytes += piece.length;
      if (sizeBytes > entry.sizeBytes) throw new ZipRefusal('size_wrong', entry.path);
      checksum = crc32(piece, checksum);
      yield piece;
    }
  } catch (error) {
    throw refusalOf(error, entry.path);
  }
  if (sizeBytes !== entry.sizeBytes) throw new ZipRefusal('size_wrong', entry.path);
  if (inflate !== null && inflate.bytesWritten !== entry.compressedBytes) {
    throw new ZipRefusal('data_corrupted', entry.path);
  }
  if (checksum !== entry.checksum) throw new ZipRefusal('checksum_wrong', entry.path);
}

function* packedPieces(file: OpenZip, { dataStart, compressedBytes }: PlacedEntry): Generator<Buffer> {
  for (let done = 0; done < compressedBytes; done += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, compressedBytes - done);
    yield readAt(file, Buffer.allocUnsafeSlow(length), dataStart + done, length);
  }
}

/** Joins the two streams, so that each ends with the other; an error is thrown to the reader. */
function joined(file: OpenZip, entry: PlacedEntry, inflate: InflateRaw): InflateRaw {
  pipeline(Readable.from(packedPieces(file, entry)), inflate, () => undefined);
  return inflate;
}

function refusalOf(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ERR_BUFFER_TOO_LARGE') return new ZipRefusal('size_wrong', path);
  return String(error.code).startsWith('Z_') ? new ZipRefusal('data_corrupted', path) : error;
}
