import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnection } from 'mongoose';
import { embeddedUri } from '../../../server/database/embedded/embedded-mongo.ts';
import type { RealApp } from '../../support/real-app.ts';

export type RowCount = AsyncDisposable & {
  /** The rows of all collections, and their bytes with those of the stored files. */
  now(): Promise<{ rows: number; bytes: number }>;
  /** Returns how many releases of the greedy accounts began between this one's creation and its own start. */
  begunBefore(releaseId: string): Promise<number>;
};

/** Looks into the database of a running app, as its operator could. */
export async function openRowCount({ dataDir }: RealApp, greedyIds: readonly string[]): Promise<RowCount> {
  const connection = await createConnection((await embeddedUri(dataDir)) ?? '').asPromise();
  const { db } = connection;
  if (db === undefined) throw new Error('The database of the app cannot be read.');
  return {
    async now() {
      const { objects, dataSize } = await db.stats();
      return { rows: objects, bytes: dataSize + (await sizeOf(dataDir)) };
    },
    async begunBefore(releaseId) {
      const releases = db.collection<{ _id: string; createdAt: Date; startedAt: Date }>('releases');
      const { createdAt, startedAt } = (await releases.findOne({ _id: releaseId })) ?? {};
      if (createdAt === undefined || startedAt === undefined) throw new Error(`Release ${releaseId} was never begun.`);
      return releases.countDocuments({ accountId: { $in: greedyIds }, startedAt: { $gt: createdAt, $lt: startedAt } });
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

/** Returns the size of all files but those of the database itself, which grow by whole pages. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || path.startsWith(join(folder, 'mongo'))) continue;
    bytes += await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}
