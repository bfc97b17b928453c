import type mongoose from 'mongoose';
import { isDuplicateKey } from '../../database/mongo.ts';
import { type Grid, type GridFile, INTAKE_INDEX, WHOLE } from './files.ts';

/** The moves of a file between its states (files.ts). */
type Id = mongoose.mongo.ObjectId;
/** Using an artifact again renews its age at most this often; collection begins at an age of a day. */
const YOUNG_MS = 60 * 60_000;

type Which = { filename: string } | { _id: Id; uploadDate: { $lt: Date } };

/** Renews the age of the artifacts that are here, and returns their hashes. */
export async function renewStored(
  { files, now }: Grid,
  wanted: readonly { sha256: string; sizeBytes: number }[],
): Promise<ReadonlySet<string>> {
  const sizes = new Map(wanted.map(({ sha256, sizeBytes }) => [sha256, sizeBytes]));
  for (;;) {
    const found = await files.find({ filename: { $in: [...sizes.keys()] }, ...WHOLE }).toArray();
    const here = found.filter((file) => sizes.get(file.filename) === file.length);
    const old = here.filter((file) => now().getTime() - file.uploadDate.getTime() >= YOUNG_MS).map((file) => file._id);
    const renewed = await files.updateMany({ _id: { $in: old }, ...WHOLE }, { $set: { uploadDate: now() } });
    // If one was collected in between, the search is repeated.
    if (renewed.matchedCount === old.length) return new Set(here.map((file) => file.filename));
  }
}

/** Makes unfinished files whole; those that another writer was faster with are erased instead. */
export async function publishWhole(grid: Grid, which: { _id: Id } | { 'metadata.intake': string }): Promise<void> {
  const filter = { ...which, 'metadata.state': 'unfinished' as const };
  const hint = '_id' in which ? '_id_' : INTAKE_INDEX;
  for (;;) {
    try {
      await grid.files.updateMany(filter, { $set: { 'metadata.state': 'whole', uploadDate: grid.now() } }, { hint });
      return;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await eraseDoubles(grid, await grid.files.find(filter, { hint }).toArray());
    }
  }
}

async function eraseDoubles(grid: Grid, own: readonly GridFile[]): Promise<void> {
  const names = own.map((file) => file.filename);
  const others = await grid.files
    .find({ filename: { $in: names }, ...WHOLE }, { projection: { filename: 1 } })
    .toArray();
  const there = new Set(others.map((file) => file.filename));
  await eraseFiles(
    grid,
    own.filter((file) => there.has(file.filename)).map((file) => file._id),
  );
}

/** Hides the file from all readers; the next sweep deletes its bytes. Returns false when there is none. */
export async function markRemoved({ files, now }: Grid, which: Which): Promise<boolean> {
  const gone = { 'metadata.state': 'unfinished' as const, 'metadata.intake': null, uploadDate: now() };
  return (await files.updateOne({ ...which, ...WHOLE }, { $set: gone })).matchedCount === 1;
}

/**
 * Deletes invisible files with their bytes. The bytes go first, so that after a crash the row still leads to the rest.
 */
export async function eraseFiles(grid: Grid, ids: readonly Id[]): Promise<void> {
  await grid.chunks.deleteMany({ files_id: { $in: [...ids] } });
  await grid.files.deleteMany({ _id: { $in: [...ids] }, 'metadata.state': 'unfinished' });
}
