import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { Log } from '../../lib/log.ts';
import { EXIT_CONFIG, StartError } from '../../lib/start-error.ts';
import { MigrationModel } from '../models/migration.ts';
import { releaseVariants } from './001-release-variants.ts';
import { destinations } from './002-destinations.ts';
import { corruptedFiles } from './003-corrupted-files.ts';
import { subscriptionSource } from './004-subscription-source.ts';
import { subscriptionLife } from './005-subscription-life.ts';
import { changedAt } from './006-changed-at.ts';
import { compressedOnRequest } from './007-compressed-on-request.ts';
import { publications } from './008-publications.ts';
import { primaryDestination } from './009-primary-destination.ts';
import { deploymentListKey } from './010-list-key.ts';
import { holdLease, type Lease } from './lease.ts';

/**
 * A change of the stored shape. Migrations only go forward. They are additive first where that is possible, so that old
 * and new code can run side by side; one that is not says that processes of the previous version must have ended. A
 * crash may interrupt one, and it then runs again from its start: every step first checks whether it is done.
 */
export type Migration = {
  /** 1, 2, 3 …: the file name begins with it, `001-….ts`. */
  number: number;
  name: string;
  run(database: MigrationDatabase): Promise<void>;
};

export type MigrationDatabase = NonNullable<typeof mongoose.connection.db>;

/** Migrations run in this order, without a gap; the next change of a stored shape adds its file here. */
export const MIGRATIONS: readonly Migration[] = [
  releaseVariants,
  destinations,
  corruptedFiles,
  subscriptionSource,
  subscriptionLife,
  changedAt,
  compressedOnRequest,
  publications,
  primaryDestination,
  deploymentListKey,
];

/** A process that waits for the lease looks again at this interval. */
const LOOK_AGAIN_MS = 200;

/**
 * Brings the database to the shape that this code expects: the outstanding migrations run in order, each once, in one
 * process at a time. This comes before the indexes are built, since a new unique index may need its data corrected
 * first. Throws StartError when the database is newer than the code.
 */
export async function runMigrations(log: Log, registry: readonly Migration[] = MIGRATIONS): Promise<void> {
  for (;;) {
    const missing = await missingOf(registry);
    if (missing.length === 0) return;
    const lease = await holdLease();
    if (lease !== null) {
      // Checked again under the lease: its previous holder may have done the work.
      await runUnder(lease, registry, log);
      return;
    }
    log.info('Another process is updating the database; waiting for it', { migrations: missing.length });
    await wait(LOOK_AGAIN_MS);
  }
}

async function runUnder(lease: Lease, registry: readonly Migration[], log: Log): Promise<void> {
  try {
    for (const migration of await missingOf(registry)) {
      const database = mongoose.connection.db;
      if (database === undefined) throw new Error('Migrations need an open connection.');
      log.info('Updating the database', { migration: migration.number, name: migration.name });
      await migration.run(database);
      await lease.confirm();
      await MigrationModel.create({ _id: migration.number, name: migration.name, ranAt: new Date() });
    }
  } finally {
    await lease.release();
  }
}

async function missingOf(registry: readonly Migration[]): Promise<Migration[]> {
  const newestKnown = registry.at(-1)?.number ?? 0;
  const ran = await MigrationModel.find({ _id: { $gte: 1 } }, { _id: 1 }).lean();
  const newestRan = Math.max(0, ...ran.map((record) => record._id));
  if (newestRan > newestKnown) {
    throw new StartError(
      EXIT_CONFIG,
      `The database was written by a newer Fairlead (schema ${newestRan}; this version knows ${newestKnown}); start that version, or restore a backup from before.`,
    );
  }
  const numbers = new Set(ran.map((record) => record._id));
  return registry.filter((migration) => !numbers.has(migration.number));
}
