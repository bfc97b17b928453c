import { randomBytes } from 'node:crypto';
import { digest, WRITE_PIECE_BYTES } from '../digest.ts';
import { type Reservation, withSpace } from '../disk/space.ts';
import type { ArtifactInfo, ArtifactIntake } from '../store.ts';
import {
  chunkOf,
  chunkWriter,
  type Grid,
  type GridChunk,
  type GridFile,
  INTAKE_INDEX,
  newFile,
  withGridErrors,
} from './files.ts';
import { eraseFiles, publishWhole, renewStored } from './states.ts';

type Staged = { file: GridFile; chunks: GridChunk[] };

/** Rows and chunks are written together, some megabytes at a time; one update at the end makes all of them visible. */
export function createGridIntake(grid: Grid): ArtifactIntake {
  const intake = randomBytes(12).toString('hex');
  const taken = new Set<string>();
  const pieces = createPieces(grid);

  async function add(bytes: Uint8Array, { sha256, sizeBytes }: ArtifactInfo): Promise<void> {
    if (taken.has(sha256)) return;
    taken.add(sha256);
    await pieces.add({ ...newFile(grid, intake), filename: sha256, length: sizeBytes }, bytes);
  }

  function addStream(source: AsyncIterable<Uint8Array>): Promise<ArtifactInfo> {
    return withSpace(grid.space, 0, (reservation) => writeStream(reservation, source));
  }

  async function writeStream(reservation: Reservation, source: AsyncIterable<Uint8Array>): Promise<ArtifactInfo> {
    const file = newFile(grid, intake);
    await grid.files.insertOne(file);
    const writer = chunkWriter(grid, file, reservation);
    try {
      const info = await digest(source, writer.write);
      await writer.end();
      const isNew = !taken.has(info.sha256) && !(await renewStored(grid, [info])).has(info.sha256);
      taken.add(info.sha256);
      if (!isNew) await eraseFiles(grid, [file._id]);
      else await grid.files.updateOne({ _id: file._id }, { $set: { filename: info.sha256, length: info.sizeBytes } });
      return info;
    } catch (error) {
      await eraseFiles(grid, [file._id]);
      throw error;
    }
  }

  async function abandon(): Promise<void> {
    await pieces.drop();
    const left = await grid.files
      .find({ 'metadata.intake': intake, 'metadata.state': 'unfinished' }, { hint: INTAKE_INDEX })
      .toArray();
    await eraseFiles(
      grid,
      left.map((file) => file._id),
    );
  }

  return {
    add: (bytes, info) => withGridErrors(grid, () => add(bytes, info)),
    addStream: (source) => withGridErrors(grid, () => addStream(source)),
    commit: () =>
      withGridErrors(grid, async () => {
        await pieces.end();
        await publishWhole(grid, { 'metadata.intake': intake });
      }),
    abandon: () => withGridErrors(grid, abandon),
  };
}

/** Creates the pieces of an intake: one is written while the next is collected. */
function createPieces(grid: Grid) {
  let staged: Staged[] = [];
  let stagedBytes = 0;
  let writing: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    const piece = staged;
    staged = [];
    stagedBytes = 0;
    const before = writing;
    writing = before.then(() => writePiece(grid, piece));
    // The next call throws the error, at the latest `end`.
    writing.catch(() => undefined);
    await before;
  }

  return {
    async add(file: GridFile, bytes: Uint8Array): Promise<void> {
      staged.push({ file, chunks: chunksOf(file, Buffer.from(bytes)) });
      stagedBytes += file.length;
      if (stagedBytes >= WRITE_PIECE_BYTES) await flush();
    },
    async end(): Promise<void> {
      await flush();
      await writing;
    },
    async drop(): Promise<void> {
      staged = [];
      await writing.catch(() => undefined);
    },
  };
}

function chunksOf(file: GridFile, bytes: Buffer): GridChunk[] {
  const chunks: GridChunk[] = [];
  for (let at = 0; at < bytes.length; at += file.chunkSize) {
    chunks.push(chunkOf(file, chunks.length, bytes.subarray(at, at + file.chunkSize)));
  }
  return chunks;
}

async function writePiece(grid: Grid, piece: readonly Staged[]): Promise<void> {
  const here = await renewStored(
    grid,
    piece.map(({ file }) => ({ sha256: file.filename, sizeBytes: file.length })),
  );
  const absent = piece.filter(({ file }) => !here.has(file.filename));
  if (absent.length === 0) return;
  const sizeBytes = absent.reduce((sum, { file }) => sum + file.length, 0);
  await withSpace(grid.space, sizeBytes, async () => {
    await grid.files.insertMany(absent.map(({ file }) => file));
    const chunks = absent.flatMap((one) => one.chunks);
    if (chunks.length > 0) await grid.chunks.insertMany(chunks);
  });
}
