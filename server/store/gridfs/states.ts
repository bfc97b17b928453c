import type mongoose from 'mongoose';
import { isDuplicateKey } from '../../database/mongo.ts';
import { type Grid, type GridFile, WHOLE } from './files.ts';

/** The moves of a file between its states (gridfs-files.ts). */
type Id = mongoose.mongo.ObjectId;
/** Using an artifact again renews its age at most so often: collecting begins at a day. */
const YOUNG_MS = 60 * 60_000;

type Which = { filename: string } | { _id: Id; uploadDate: { $lt: Date } };

/** Renews the age of what is here, and names it. */
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
    // One that was collected in between is looked for again.
    if (renewed.matchedCount === old.length) return new Set(here.map((file) => file.filename));
  }
}

/** Makes unfinished files whole; those that somebody else was faster with are erased instead. */
export async function publishWhole(grid: Grid, which: { _id: Id } | { 'metadata.intake': string }): Promise<void> {
  const filter = { ...which, 'metadata.state': 'unfinished' as const };
  for (;;) {
    try {
      await grid.files.updateMany(filter, { $set: { 'metadata.state': 'whole', uploadDate: grid.now() } });
      return;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await eraseDoubles(grid, await grid.files.find(filter).toArray());
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

/** Nobody finds it any more; its bytes go with the next sweep. False when there is none. */
export async function markRemoved({ files, now }: Grid, which: Which): Promise<boolean> {
  const gone = { 'metadata.state': 'unfinished' as const, 'metadata.intake': null, uploadDate: now() };
  return (await files.updateOne({ ...which, ...WHOLE }, { $set: gone })).matchedCount === 1;
}

/** Takes files that nobody can see with their bytes. The bytes first: what is left of a crash is found by its row. */
export async function eraseFiles(grid: Grid, ids: readonly Id[]): Promise<void> {
  await grid.chunks.deleteMany({ files_id: { $in: [...ids] } });
  await grid.files.deleteMany({ _id: { $in: [...ids] }, 'metadata.state': 'unfinished' });
}
