import mongoose from 'mongoose';
import { startDatabaseClock } from '../database/clock.ts';
import { NoMongodError } from '../database/mongod-binary.ts';
import { startEmbeddedMongo } from '../embedded-mongo.ts';
import type { Env } from '../env.ts';
import type { Log } from '../log.ts';
import { runMigrations } from '../migrations/index.ts';
import { buildIndexes, connectMongo, UnfitDatabaseError } from '../mongo.ts';
import { buildProviders } from '../providers.ts';
import type { Keys } from '../secrets.ts';
import type { Providers } from '../service-context.ts';
import type { Tally } from '../tally.ts';
import { type DataFolder, openDataFolder, readOrMakeKeys } from './data-folder.ts';
import { claimInstallation, hasData } from './installation.ts';
import { refuseTakenPorts } from './ports.ts';
import { EXIT_CONFIG, EXIT_FAILED, StartError, sentenceOf } from './start-error.ts';
import type { Began } from './undo.ts';

/** What every process of an instance stands on, and what its data folder says of this run of the app and the one before. */
export type Foundation = Pick<DataFolder, 'run' | 'killedRun'> & { uri: string; providers: Providers };

type FoundationParts = { env: Env; log: Log; tally: Tally };

/**
 * Everything of a start that is done once, whatever the number of processes:
 *
 *   data folder and lock → database → connection, migrations, indexes → keys and store, checked against the database
 *
 * Throws StartError with one sentence for the operator.
 */
export async function layFoundation(parts: FoundationParts, began: Began): Promise<Foundation> {
  const { env, log } = parts;
  await refuseTakenPorts(env);
  const data = await openDataFolder(env.dataDir);
  began('data folder', data.unlock);
  const uri = await openDatabase(env, log, began);
  await connect(uri, env);
  began('connection', () => mongoose.disconnect());
  const now = await startClock(began);
  await runMigrations(log);
  await buildIndexes();
  const keys = await readOrMakeKeys(env.dataDir, env.keys, await hasData());
  const providers = await openProviders(parts, keys, now);
  await claimInstallation({ keysFingerprint: providers.secrets.fingerprint, storeId: providers.store.id });
  return { uri, run: data.run, killedRun: data.killedRun, providers };
}

/** A further process of an instance whose foundation another one has laid: its database is there, and so are its keys. */
export async function joinFoundation(uri: string, parts: FoundationParts, began: Began): Promise<Providers> {
  const { env } = parts;
  await connect(uri, env);
  began('connection', () => mongoose.disconnect());
  const now = await startClock(began);
  return openProviders(parts, await readOrMakeKeys(env.dataDir, env.keys, true), now);
}

async function startClock(began: Began): Promise<() => Date> {
  const clock = await startDatabaseClock();
  began('clock', async () => clock.stop());
  return clock.now;
}

async function openDatabase(env: Env, log: Log, began: Began): Promise<string> {
  if (env.mongodbUri !== undefined) {
    log.info('Database: the one that MONGODB_URI names');
    return env.mongodbUri;
  }
  try {
    const mongo = await startEmbeddedMongo({ dataDir: env.dataDir, sources: env.mongodSources, log });
    began('database', mongo.stop);
    return mongo.uri;
  } catch (error) {
    if (error instanceof NoMongodError) throw new StartError(EXIT_CONFIG, error.message, error);
    throw new StartError(
      EXIT_FAILED,
      `The database in "${env.dataDir}/mongo" does not start (${sentenceOf(error)}); look at its files and the space on the disk, or set MONGODB_URI.`,
      error,
    );
  }
}

async function connect(uri: string, env: Env): Promise<void> {
  try {
    await connectMongo(uri);
  } catch (error) {
    if (!(error instanceof UnfitDatabaseError)) throw error;
    if (env.mongodbUri === undefined) throw new StartError(EXIT_FAILED, `The embedded database ${error.fault}.`, error);
    throw new StartError(
      error.isFinal ? EXIT_CONFIG : EXIT_FAILED,
      `MONGODB_URI names a database that ${error.fault}; name a running MongoDB 6 or later that is a replica set, or leave it unset and Fairlead keeps its own.`,
      error,
    );
  }
}

async function openProviders({ env, log, tally }: FoundationParts, keys: Keys, now: () => Date): Promise<Providers> {
  try {
    return await buildProviders(env, { keys, log, tally, now });
  } catch (error) {
    throw new StartError(
      EXIT_FAILED,
      `${sentenceOf(error)}; give that folder to this user, or set ARTIFACTS_URL to another one.`,
      error,
    );
  }
}
