import { createHash } from 'node:crypto';
import { CHUNK_BYTES, type Grid, type GridFile, WHOLE } from './gridfs-files.ts';
import { damaged } from './storage-errors.ts';
import type { OpenArtifact } from './store.ts';

/** How many verified artifacts are remembered; one that is forgotten is read once more. */
const VERIFIED_MAX = 100_000;

/**
 * Opens an artifact whose bytes are those of its name; null when there is none. One of a single chunk is held and
 * compared at each opening, a larger one is read through at the first.
 */
export async function openGridFile(grid: Grid, sha256: string, verified: Set<string>): Promise<OpenArtifact | null> {
  const file = await grid.files.findOne({ filename: sha256, ...WHOLE });
  if (file === null) return null;
  const artifact = openFile(grid, file);
  const key = file._id.toHexString();
  if (file.length > CHUNK_BYTES && verified.has(key)) return artifact;
  if (!(await isSound(artifact, sha256))) {
    await grid.files.updateOne(
      { _id: file._id, ...WHOLE },
      { $set: { 'metadata.state': 'damaged', uploadDate: grid.now() } },
    );
    return null;
  }
  if (verified.size >= VERIFIED_MAX) verified.clear();
  verified.add(key);
  return artifact;
}

async function isSound(artifact: OpenArtifact, sha256: string): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    for await (const piece of artifact.stream()) hash.update(piece);
  } catch (error) {
    if (error instanceof MissingBytes) return false;
    throw error;
  }
  return hash.digest('hex') === sha256;
}

/** A chunk is not there, or not as long as it was. */
class MissingBytes extends Error {
  override name = 'MissingBytes';
}

function openFile({ chunks }: Grid, file: GridFile): OpenArtifact {
  const { _id, length: sizeBytes, chunkSize } = file;
  /** Reads come in order and are smaller than a chunk: the last one is kept. */
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
          ? damaged('A file of this release lost a part in the store.', error)
          : error;
      }
      return Buffer.concat(pieces);
    },
    close: async () => undefined,
  };
}
