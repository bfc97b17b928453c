import mongoose from 'mongoose';
import type { Providers } from '../context.ts';
import { startDatabaseClock } from '../database/clock.ts';
import { startEmbeddedMongo } from '../database/embedded/embedded-mongo.ts';
import { NoMongodError } from '../database/embedded/mongod-binary.ts';
import { runMigrations } from '../database/migrations/index.ts';
import { buildIndexes, connectMongo, UnsupportedDatabaseError } from '../database/mongo.ts';
import type { Keys } from '../lib/crypto/secrets.ts';
import type { Log } from '../lib/log.ts';
import type { RateCounters } from '../lib/rate-counters.ts';
import { EXIT_CONFIG, EXIT_FAILED, StartError, sentenceOf } from '../lib/start-error.ts';
import { type DataFolder, openDataFolder, readOrMakeKeys } from './data-folder.ts';
import type { Env } from './env/env.ts';
import { claimInstallation, hasData } from './installation.ts';
import { refuseTakenPorts } from './ports.ts';
import { buildProviders } from './providers.ts';
import type { OnShutdown } from './shutdown-stack.ts';

/** The result of a start so far: the open database, its adapters, and which earlier run the data folder has seen. */
export type Bootstrapped = Pick<DataFolder, 'run' | 'killedRuns' | 'forgetKilledRuns'> & {
  uri: string;
  providers: Providers;
};

const NEW_DATA =
  'There is no data yet. Everything from now on, certificates included, is stored in DATA_DIR: keep that folder across restarts';

type BootstrapParts = { env: Env; log: Log; rateCounters: RateCounters };

/**
 * Does everything that a start does once, however often the app is started again:
 *
 * data folder and lock → database → connection, migrations, indexes → keys and store, checked against the database
 *
 * Throws StartError with one sentence for the operator.
 */
export async function bootstrap(parts: BootstrapParts, onShutdown: OnShutdown): Promise<Bootstrapped> {
  const { env, log } = parts;
  await refuseTakenPorts(env);
  const data = await openDataFolder(env.dataDir, { onLost: () => endLost(env, log) });
  onShutdown('data folder', data.release);
  const uri = await openDatabase(env, log, onShutdown);
  await connect(uri, env, data.run);
  onShutdown('connection', () => mongoose.disconnect());
  const now = await startClock(onShutdown);
  await runMigrations(log);
  await buildIndexes();
  const isUsed = await hasData();
  // A container without a volume would order its certificates anew at each start, until the authority refuses.
  if (!isUsed && env.mongodbUri === undefined) log.info(NEW_DATA, { dataDir: env.dataDir });
  const keys = await readOrMakeKeys(env.dataDir, env.keys, isUsed);
  const providers = await openProviders(parts, keys, now);
  await claimInstallation({ keysFingerprint: providers.secrets.fingerprint, storeId: providers.store.id });
  return { uri, run: data.run, killedRuns: data.killedRuns, forgetKilledRuns: data.forgetKilledRuns, providers };
}

/** Ends this process because another run has taken over its data folder: two runs would corrupt it. */
function endLost({ dataDir }: Env, log: Log): void {
  log.error('Another Fairlead has taken over DATA_DIR because this one had stopped responding; this one is stopping', {
    dataDir,
  });
  process.exit(EXIT_FAILED);
}

/** Prepares the child of a supervisor, which has opened the folder and the database, and made the keys. */
export async function bootstrapChild(
  { uri, worker }: { uri: string; worker: string },
  parts: BootstrapParts,
  onShutdown: OnShutdown,
): Promise<Providers> {
  const { env } = parts;
  await connect(uri, env, worker);
  onShutdown('connection', () => mongoose.disconnect());
  const now = await startClock(onShutdown);
  return openProviders(parts, await readOrMakeKeys(env.dataDir, env.keys, true), now);
}

async function startClock(onShutdown: OnShutdown): Promise<() => Date> {
  const clock = await startDatabaseClock();
  onShutdown('clock', async () => clock.stop());
  return clock.now;
}

async function openDatabase(env: Env, log: Log, onShutdown: OnShutdown): Promise<string> {
  if (env.mongodbUri !== undefined) {
    log.info('Database: the one that MONGODB_URI names');
    return env.mongodbUri;
  }
  try {
    const mongo = await startEmbeddedMongo({ dataDir: env.dataDir, sources: env.mongodSources, log });
    onShutdown('database', mongo.stop);
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

async function connect(uri: string, env: Env, processName: string): Promise<void> {
  try {
    await connectMongo(uri, { processName });
  } catch (error) {
    if (!(error instanceof UnsupportedDatabaseError)) throw error;
    if (env.mongodbUri === undefined) throw new StartError(EXIT_FAILED, `The embedded database ${error.fault}.`, error);
    throw new StartError(
      error.isFinal ? EXIT_CONFIG : EXIT_FAILED,
      `MONGODB_URI names a database that ${error.fault}; name a running MongoDB 6 or later that is a replica set, or leave it unset and Fairlead keeps its own.`,
      error,
    );
  }
}

async function openProviders(
  { env, log, rateCounters }: BootstrapParts,
  keys: Keys,
  now: () => Date,
): Promise<Providers> {
  try {
    return await buildProviders(env, { keys, log, rateCounters, now });
  } catch (error) {
    throw new StartError(
      EXIT_FAILED,
      `${sentenceOf(error)}; let this user write to that folder, or set ARTIFACTS_URL to another one.`,
      error,
    );
  }
}
