import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { VERIFIED } from '../disk/reader.ts';
import { corrupted } from '../storage-errors.ts';
import type { OpenArtifact } from '../store.ts';
import { CHUNK_BYTES, type Grid, type GridFile, WHOLE } from './files.ts';

export type VerifiedFiles = LRUCache<string, true>;

export function rememberVerifiedFiles(): VerifiedFiles {
  return new LRUCache(VERIFIED);
}

/**
 * Opens an artifact after its hash was verified; null when there is none. An artifact of a single chunk is held and
 * compared at each opening, a larger one is read through at the first.
 */
export async function openGridFile(grid: Grid, sha256: string, verified: VerifiedFiles): Promise<OpenArtifact | null> {
  const file = await grid.files.findOne({ filename: sha256, ...WHOLE });
  if (file === null) return null;
  const key = file._id.toHexString();
  if (file.length > CHUNK_BYTES && verified.has(key)) return openFile(grid, file);
  // The file is read twice before it is marked for good, since a disk or a line may misread once.
  const artifact = (await openIntact(grid, file)) ?? (await openIntact(grid, file));
  if (artifact === null) {
    await grid.files.updateOne(
      { _id: file._id, ...WHOLE },
      { $set: { 'metadata.state': 'corrupted', uploadDate: grid.now() } },
    );
    return null;
  }
  verified.set(key, true);
  return artifact;
}

/** Opens it without a check of its bytes; null when there is none. */
export async function openGridFileAsIs(grid: Grid, sha256: string): Promise<OpenArtifact | null> {
  const file = await grid.files.findOne({ filename: sha256, ...WHOLE });
  return file === null ? null : openFile(grid, file);
}

async function openIntact(grid: Grid, file: GridFile): Promise<OpenArtifact | null> {
  const artifact = openFile(grid, file);
  try {
    return (await hashOf(artifact)) === file.filename ? artifact : null;
  } catch (error) {
    if (error instanceof MissingBytes) return null;
    throw error;
  }
}

/** Computes the SHA-256 of the whole file. */
async function hashOf(artifact: OpenArtifact): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of artifact.stream()) hash.update(piece);
  return hash.digest('hex');
}

/** A chunk is missing, or shorter than it was. */
class MissingBytes extends Error {
  override name = 'MissingBytes';
}

function openFile({ chunks }: Grid, file: GridFile): OpenArtifact {
  const { _id, length: sizeBytes, chunkSize } = file;
  /** Reads come in order and are smaller than a chunk, so the last chunk is held. */
  let last: { n: number; bytes: Buffer } | undefined;

  async function chunk(n: number): Promise<Buffer> {
    if (last?.n === n) return last.bytes;
    const found = await chunks.findOne({ files_id: _id, n });
    const bytes = Buffer.from(found?.data.buffer ?? []);
    if (bytes.length !== Math.min(chunkSize, sizeBytes - n * chunkSize)) throw new MissingBytes();
    last = { n, bytes };
    return bytes;
  }

  async function* stream(start = 0, end = sizeBytes): AsyncGenerator<Buffer, void> {
    const stop = Math.min(end, sizeBytes);
    for (let at = start; at < stop; ) {
      const n = Math.floor(at / chunkSize);
      const from = n * chunkSize;
      const bytes = await chunk(n);
      yield bytes.subarray(at - from, Math.min(stop - from, bytes.length));
      at = from + bytes.length;
    }
  }

  return {
    sizeBytes,
    stream,
    async read(start, end) {
      const pieces: Buffer[] = [];
      try {
        for await (const piece of stream(start, end)) pieces.push(piece);
      } catch (error) {
        throw error instanceof MissingBytes
          ? corrupted('A part of a file of this release is missing from the store.', error)
          : error;
      }
      return Buffer.concat(pieces);
    },
    close: async () => undefined,
  };
}
