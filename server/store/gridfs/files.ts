import mongoose from 'mongoose';
import type { RateCounters } from '../../lib/rate-counters.ts';
import {
  createDiskSpace,
  createFolderSpace,
  type DiskSpace,
  type OnDiskFull,
  type Reservation,
} from '../disk/space.ts';
import { folderUnusable, refusedFull } from '../storage-errors.ts';
import type { StoreClock } from '../store.ts';

/**
 * The two collections of GridFS, written by hand, because its own streams take a round trip for each small file, and
 * cannot make many files readable at one moment.
 *
 * A file is `unfinished` from its first byte, and one update that makes it `whole` lets readers see it. A removed file
 * becomes unfinished again: readers that have it open go on for an hour, until the sweep deletes its bytes. A
 * `corrupted` file is left for an examination.
 */
export type FileState = 'unfinished' | 'whole' | 'corrupted';

/** A row of `{bucket}.files`, in the names of the GridFS specification; `filename` is the SHA-256. */
export type GridFile = {
  _id: mongoose.mongo.ObjectId;
  filename: string;
  length: number;
  chunkSize: number;
  /** The last use of a whole file; for any other, the time since which it is in its state. */
  uploadDate: Date;
  metadata: { state: FileState; intake: string | null };
};
export type GridChunk = { files_id: mongoose.mongo.ObjectId; n: number; data: mongoose.mongo.Binary };

export type Grid = {
  files: mongoose.mongo.Collection<GridFile>;
  chunks: mongoose.mongo.Collection<GridChunk>;
  now: StoreClock;
  /** Counts the free space on the disk of the database. */
  space: DiskSpace;
};

export const CHUNK_BYTES = 1024 * 1024;
/**
 * Queries for the files of one intake name this index, since MongoDB remembers the plan of a query's form: after
 * intakes that came one at a time it keeps to the index of states, and then reads the files of all others too.
 */
export const INTAKE_INDEX = 'intake';
export const WHOLE = { 'metadata.state': 'whole' } as const;

/** The time for which one measurement of the free space is used. */
const SPACE_KEPT_MS = 1_000;
const OUT_OF_DISK_SPACE = 14_031;

export type GridDatabase = {
  bucket: string;
  /** Writes are refused with `storage_full` when fewer bytes would stay free on the disk of the database. */
  minFreeBytes: number;
  rateCounters: Pick<RateCounters, 'hold'>;
  onDiskFull?: OnDiskFull | undefined;
  /** The folder of a database on this machine, so that other writes to its disk count as well. */
  databaseFolder?: string | undefined;
};

/** Opens the collections in the database of everything else, with their indexes. */
export async function openGrid(database: GridDatabase, now: StoreClock): Promise<Grid> {
  const { bucket } = database;
  const { db } = mongoose.connection;
  if (db === undefined) throw new Error('The store in the database is opened before the database.');
  const files = db.collection<GridFile>(`${bucket}.files`);
  const chunks = db.collection<GridChunk>(`${bucket}.chunks`);
  try {
    await files.createIndex(
      { filename: 1 },
      { name: 'whole_once', unique: true, partialFilterExpression: { 'metadata.state': 'whole' } },
    );
    await files.createIndex({ 'metadata.state': 1, uploadDate: 1, _id: 1 }, { name: 'state_age' });
    await files.createIndex(
      { 'metadata.intake': 1 },
      { name: INTAKE_INDEX, partialFilterExpression: { 'metadata.state': 'unfinished' } },
    );
    await chunks.createIndex({ files_id: 1, n: 1 }, { name: 'files_id_n', unique: true });
  } catch (error) {
    throw folderUnusable('in the database', error);
  }
  return { files, chunks, now, space: openDatabaseSpace(database) };
}

/** Counts on the disk of the database, by its folder if that is on this machine; needs the open connection. */
export function openDatabaseSpace(database: Omit<GridDatabase, 'bucket'>): DiskSpace {
  const { databaseFolder } = database;
  if (databaseFolder !== undefined) return createFolderSpace(databaseFolder, database);
  let last: { at: number; freeBytes: number } | undefined;
  return createDiskSpace(async () => {
    if (last === undefined || performance.now() - last.at > SPACE_KEPT_MS) {
      const { fsTotalSize, fsUsedSize } = (await mongoose.connection.db?.command({ dbStats: 1 })) ?? {};
      last = { at: performance.now(), freeBytes: Number(fsTotalSize) - Number(fsUsedSize) };
    }
    return { disk: 'the database', freeBytes: last.freeBytes };
  }, database);
}

/** Returns a file whose chunks are still to come; `intake` identifies all files that arrive with it, or is null. */
export function newFile({ now }: Grid, intake: string | null): GridFile {
  return {
    _id: new mongoose.mongo.ObjectId(),
    filename: '',
    length: 0,
    chunkSize: CHUNK_BYTES,
    uploadDate: now(),
    metadata: { state: 'unfinished', intake },
  };
}

/** Makes chunk number `n`, from 0; all but the last have `CHUNK_BYTES`. */
export function chunkOf(file: GridFile, n: number, bytes: Uint8Array): GridChunk {
  return { files_id: file._id, n, data: new mongoose.mongo.Binary(bytes) };
}

/**
 * Turns the error of a full disk into `storage_full`. Errors of a database that is away pass unchanged, since the
 * listeners recognise them.
 */
export async function withGridErrors<T>({ space }: Grid, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isFull = error instanceof mongoose.mongo.MongoServerError && error.code === OUT_OF_DISK_SPACE;
    throw isFull ? await refusedFull(error, space) : error;
  }
}

/** Writes the chunks of a stream as it arrives; the pieces from `digest` have a megabyte or a bit more. */
export function chunkWriter(grid: Grid, file: GridFile, reservation: Reservation) {
  let rest: Buffer = Buffer.alloc(0);
  let n = 0;

  async function insert(bytes: Buffer): Promise<void> {
    await reservation.use(bytes.length);
    await grid.chunks.insertOne(chunkOf(file, n, bytes));
    n += 1;
  }

  return {
    async write(pieces: readonly Uint8Array[]): Promise<void> {
      rest = Buffer.concat([rest, ...pieces]);
      for (; rest.length >= CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES)) await insert(rest.subarray(0, CHUNK_BYTES));
    },
    async end(): Promise<void> {
      if (rest.length > 0) await insert(rest);
      rest = Buffer.alloc(0);
    },
  };
}
