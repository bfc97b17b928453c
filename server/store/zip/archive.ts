import { pipeline } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import { AppError } from '../../lib/errors.ts';
import { corrupted } from '../storage-errors.ts';
import type { ArtifactStore, OpenArtifact } from '../store.ts';
import {
  CENTRAL_BYTES,
  centralExtra,
  centralHeader,
  descriptor,
  endBytes,
  endRecords,
  LOCAL_BYTES,
  localExtra,
  localHeader,
  type WrittenEntry,
} from './archive-records.ts';

/**
 * Writes a ZIP as a stream. Files of the store are stored uncompressed: the length of the whole is known before its
 * first byte, every checksum precedes its content, and nothing else is computed. Texts are packed while they are made.
 *
 * yazl 3.3.1 was not used, because it predicts a length that is 76 bytes too long once the directory is over 64 KiB (a
 * website of some 700 files), writes the checksum of streamed content behind it, and searches all entries at each of
 * them.
 */
export type ArchiveFile = { name: string; sha256: string; sizeBytes: number };
/** A text that is written while it is read, a part at a time, so that its length is not known before. */
export type ArchiveText = { name: string; text: Iterable<string> | AsyncIterable<string> };
export type ArchiveEntry = ArchiveFile | ArchiveText;

export type ArchiveOptions = {
  at: Date;
  /**
   * Called for a file that is left out because the store does not have it any more; when absent, the archive breaks
   * off there.
   */
  onCorrupted?: ((entry: ArchiveFile) => void) | undefined;
  /**
   * Ends the reading even before anything is yielded, since a large file is read through before its first byte is
   * sent.
   */
  signal?: AbortSignal | undefined;
};

/** Up to this size a file is read once, whole; a larger one twice, since its checksum precedes it. */
const WHOLE_MAX_BYTES = 1024 * 1024;
/** Small files are sent together, because a piece costs more than a kilobyte does. */
const PIECE_BYTES = 256 * 1024;

/** Returns how many bytes `writeArchive` will yield for these files. */
export function archiveSize(files: Iterable<Pick<ArchiveFile, 'name' | 'sizeBytes'>>): number {
  let count = 0;
  let directoryAt = 0;
  let directoryBytes = 0;
  for (const { name, sizeBytes } of files) {
    const nameBytes = Buffer.byteLength(name, 'utf8');
    count += 1;
    directoryBytes += CENTRAL_BYTES + nameBytes + centralExtra({ sizeBytes, offset: directoryAt }).length;
    directoryAt += LOCAL_BYTES + nameBytes + localExtra({ sizeBytes }).length + sizeBytes;
  }
  return directoryAt + directoryBytes + endBytes({ count, directoryAt, directoryBytes });
}

/**
 * Reads one entry at a time. Throws `artifact_corrupted` at the first file that the store does not have byte for byte,
 * and the reason of the signal.
 */
export async function* writeArchive(
  store: Pick<ArtifactStore, 'open'>,
  entries: Iterable<ArchiveEntry> | AsyncIterable<ArchiveEntry>,
  options: ArchiveOptions,
): AsyncGenerator<Buffer, void> {
  let pieces: Buffer[] = [];
  let pending = 0;
  for await (const piece of writeAll(store, entries, options)) {
    options.signal?.throwIfAborted();
    pieces.push(piece);
    pending += piece.length;
    if (pending < PIECE_BYTES) continue;
    yield pieces.length === 1 ? piece : Buffer.concat(pieces);
    pieces = [];
    pending = 0;
  }
  yield Buffer.concat(pieces);
}

async function* writeAll(
  store: Pick<ArtifactStore, 'open'>,
  entries: Iterable<ArchiveEntry> | AsyncIterable<ArchiveEntry>,
  options: ArchiveOptions,
): AsyncGenerator<Buffer, void> {
  const { at } = options;
  const directory: Buffer[] = [];
  let directoryBytes = 0;
  let offset = 0;
  const note = (written: WrittenEntry, endsAt: number): void => {
    const header = centralHeader(written, at);
    directory.push(header);
    directoryBytes += header.length;
    offset = endsAt;
  };
  for await (const entry of entries) {
    if ('text' in entry) {
      const { written, endsAt } = yield* writeText(entry, offset, at);
      note(written, endsAt);
      continue;
    }
    const content = await readyContent(store, entry, options);
    if (content === null) continue;
    const written = { ...content, name: Buffer.from(entry.name, 'utf8'), offset, sizeBytes: entry.sizeBytes };
    const header = localHeader(written, at);
    yield* writeFile(header, content);
    note(written, offset + header.length + entry.sizeBytes);
  }
  yield* directory;
  yield* endRecords({ count: directory.length, directoryAt: offset, directoryBytes });
}

/** `artifact` is null, and closed, when the content was read whole. */
type Content = { checksum: number; whole: Buffer; artifact: OpenArtifact | null };
const NOTHING = Buffer.alloc(0);

/** Opens and checks the file before a byte of it is sent; null when it is left out. */
async function readyContent(
  store: Pick<ArtifactStore, 'open'>,
  entry: ArchiveFile,
  { onCorrupted, signal }: ArchiveOptions,
): Promise<Content | null> {
  try {
    return await openContent(store, entry, signal);
  } catch (error) {
    if (onCorrupted === undefined || !(error instanceof AppError) || error.code !== 'artifact_corrupted') throw error;
    onCorrupted(entry);
    return null;
  }
}

async function openContent(
  store: Pick<ArtifactStore, 'open'>,
  entry: ArchiveFile,
  signal: AbortSignal | undefined,
): Promise<Content> {
  const artifact = await store.open(entry.sha256);
  let isKept = false;
  try {
    if (artifact.sizeBytes !== entry.sizeBytes)
      throw corrupted('A file of this release no longer has the size that it had.');
    if (entry.sizeBytes <= WHOLE_MAX_BYTES) {
      const whole = await artifact.read(0, entry.sizeBytes);
      return { checksum: crc32(whole), whole, artifact: null };
    }
    const checksum = await checksumOf(artifact, signal);
    isKept = true;
    return { checksum, whole: NOTHING, artifact };
  } finally {
    if (!isKept) await artifact.close();
  }
}

async function checksumOf(artifact: OpenArtifact, signal: AbortSignal | undefined): Promise<number> {
  let checksum = 0;
  for await (const piece of artifact.stream()) {
    signal?.throwIfAborted();
    checksum = crc32(piece, checksum);
  }
  return checksum;
}

async function* writeFile(header: Buffer, { whole, artifact }: Content): AsyncGenerator<Buffer, void> {
  try {
    yield header;
    if (artifact === null) yield whole;
    else yield* artifact.stream();
  } finally {
    await artifact?.close();
  }
}

async function* writeText(
  { name, text }: ArchiveText,
  offset: number,
  at: Date,
): AsyncGenerator<Buffer, { written: WrittenEntry; endsAt: number }> {
  const written = { name: Buffer.from(name, 'utf8'), offset, sizeBytes: 0, packedBytes: 0, checksum: 0 };
  async function* counted(): AsyncGenerator<Buffer, void> {
    for await (const part of text) {
      const bytes = Buffer.from(part, 'utf8');
      written.checksum = crc32(bytes, written.checksum);
      written.sizeBytes += bytes.length;
      yield bytes;
    }
  }
  const header = localHeader(written, at);
  yield header;
  const packer = createDeflateRaw();
  // The loop below throws an error of the text, which destroys the packer with its reason.
  pipeline(counted(), packer, () => {});
  const packed: AsyncIterable<Buffer> = packer;
  for await (const piece of packed) {
    written.packedBytes += piece.length;
    yield piece;
  }
  const behind = descriptor(written);
  yield behind;
  return { written, endsAt: offset + header.length + written.packedBytes + behind.length };
}
