import { createHash, randomBytes } from 'node:crypto';
import { digestAnnounced, piecesOf } from '../digest.ts';
import { type Reservation, withSpace } from '../disk/space.ts';
import { canOpen, corrupted } from '../storage-errors.ts';
import type { ArtifactInfo, ArtifactStore, Collected, Collection, OnCorruption, StoreClock } from '../store.ts';
import {
  chunkWriter,
  type Grid,
  type GridDatabase,
  type GridFile,
  newFile,
  openGrid,
  WHOLE,
  withGridErrors,
} from './files.ts';
import { createGridIntake } from './intake.ts';
import { openGridFile, openGridFileAsIs, rememberVerifiedFiles } from './reader.ts';
import { eraseFiles, markRemoved, publishWhole, renewStored } from './states.ts';

/** A write that has not ended after an hour never will: no request lasts that long. */
const LEFTOVER_MS = 60 * 60_000;
const FILES_AT_ONCE = 500;

export type GridStoreOptions = Omit<GridDatabase, 'bucket'> & {
  bucket?: string;
  onCorruption?: OnCorruption;
  now?: StoreClock;
};

/**
 * Creates a store in the database itself (files.ts), so that several instances share it without a shared disk. Needs
 * the open connection of mongoose.
 */
export async function createGridStore(options: GridStoreOptions): Promise<ArtifactStore> {
  const { bucket = 'store', onCorruption, now = () => new Date() } = options;
  const grid = await openGrid({ ...options, bucket }, now);
  const verified = rememberVerifiedFiles();

  const store: ArtifactStore = {
    // A constant is enough: the installation document that stores this id is in the same database.
    id: 'gridfs',
    has: async (sha256) => (await grid.files.findOne({ filename: sha256, ...WHOLE })) !== null,
    write: (source, expected) =>
      withGridErrors(grid, async () => {
        // The sender still has to show the bytes, since knowing a hash does not prove having them.
        if ((await renewStored(grid, [expected])).has(expected.sha256)) {
          return digestAnnounced(source, expected, async () => undefined);
        }
        return withSpace(grid.space, expected.sizeBytes, (reservation) =>
          writeNewFile({ grid, reservation }, source, expected),
        );
      }),
    writeWhole: (bytes) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return store.write(piecesOf(bytes), { sha256, sizeBytes: bytes.byteLength });
    },
    intake: async () => createGridIntake(grid),
    open: async (sha256) => (await openGridFile(grid, sha256, verified)) ?? lost(sha256, onCorruption),
    async readWhole(sha256) {
      const artifact = await store.open(sha256);
      return artifact.read(0, artifact.sizeBytes);
    },
    readStart: async (sha256, bytes) =>
      ((await openGridFileAsIs(grid, sha256)) ?? lost(sha256, onCorruption)).read(0, bytes),
    verify: (sha256) => {
      verified.clear();
      return canOpen(() => store.open(sha256));
    },
    remove: async (sha256) => void (await markRemoved(grid, { filename: sha256 })),
    collect: (collection) => collectGrid(grid, collection),
    sweep: () => sweepGrid(grid),
    freeBytes: () => grid.space.freeBytes(),
    check: () => checkGrid(grid),
  };
  await store.sweep();
  return store;
}

function lost(sha256: string, onCorruption: OnCorruption | undefined): never {
  onCorruption?.(sha256);
  throw corrupted('A file of this release is missing from the store or damaged.');
}

async function writeNewFile(
  { grid, reservation }: { grid: Grid; reservation: Reservation },
  source: AsyncIterable<Uint8Array>,
  expected: { sha256: string; sizeBytes: number },
): Promise<ArtifactInfo> {
  const file: GridFile = { ...newFile(grid, null), filename: expected.sha256, length: expected.sizeBytes };
  await grid.files.insertOne(file);
  const writer = chunkWriter(grid, file, reservation);
  try {
    const info = await digestAnnounced(source, expected, writer.write);
    await writer.end();
    await publishWhole(grid, { _id: file._id });
    return info;
  } catch (error) {
    await eraseFiles(grid, [file._id]);
    throw error;
  }
}

/** Collects from the oldest on; an artifact that is used meanwhile counts as new. */
async function collectGrid(grid: Grid, { before, choose, signal }: Collection): Promise<Collected> {
  const collected: Collected = { artifacts: 0, sizeBytes: 0 };
  let old = await readOld(grid, before, null);
  for (; old.length > 0; old = await readOld(grid, before, old.at(-1) ?? null)) {
    signal?.throwIfAborted();
    const chosen = await choose(old.map((file) => file.filename));
    for (const { _id, filename, length } of old) {
      // An artifact that was used since is no longer old, and so is not found.
      if (!chosen.has(filename) || !(await markRemoved(grid, { _id, uploadDate: { $lt: before } }))) continue;
      collected.artifacts += 1;
      collected.sizeBytes += length;
    }
  }
  return collected;
}

function readOld({ files }: Grid, before: Date, after: GridFile | null): Promise<GridFile[]> {
  const later = { ...WHOLE, uploadDate: { $gt: after?.uploadDate ?? new Date(0), $lt: before } };
  // All files that arrived together have the same time.
  const filter =
    after === null ? later : { $or: [{ ...WHOLE, uploadDate: after.uploadDate, _id: { $gt: after._id } }, later] };
  return files.find(filter).sort({ uploadDate: 1, _id: 1 }).limit(FILES_AT_ONCE).toArray();
}

async function sweepGrid(grid: Grid): Promise<number> {
  const before = new Date(grid.now().getTime() - LEFTOVER_MS);
  let swept = 0;
  for (;;) {
    const left = await grid.files
      .find({ 'metadata.state': 'unfinished', uploadDate: { $lt: before } }, { projection: { _id: 1 } })
      .limit(FILES_AT_ONCE)
      .toArray();
    if (left.length === 0) return swept;
    await eraseFiles(
      grid,
      left.map((file) => file._id),
    );
    swept += left.length;
  }
}

async function checkGrid(grid: Grid): Promise<void> {
  const file = newFile(grid, randomBytes(12).toString('hex'));
  await grid.files.insertOne(file);
  await eraseFiles(grid, [file._id]);
}
