import mongoose from 'mongoose';
import type { Providers } from '../context.ts';
import { startDatabaseClock } from '../database/clock.ts';
import { prepareEmbeddedMongo } from '../database/embedded/replica-set.ts';
import { runMigrations } from '../database/migrations/index.ts';
import { connectMongo, UnsupportedDatabaseError } from '../database/mongo.ts';
import type { Keys } from '../lib/crypto/secrets.ts';
import type { Log } from '../lib/log.ts';
import type { RateCounters } from '../lib/rate-counters.ts';
import { EXIT_CONFIG, EXIT_FAILED, StartError, sentenceOf } from '../lib/start-error.ts';
import { readOrMakeKeys } from './data-folder.ts';
import type { Env } from './env/env.ts';
import { databaseDoesNotStart } from './ground.ts';
import { claimInstallation, hasData, prepareIndexes } from './installation.ts';
import { buildProviders } from './providers.ts';
import type { OnShutdown } from './shutdown-stack.ts';

const NEW_DATA =
  'There is no data yet. Everything from now on, certificates included, is stored in DATA_DIR: keep that folder across restarts';

type BootstrapDeps = { env: Env; log: Log; rateCounters: RateCounters };

export type BootstrapOptions = {
  uri: string;
  /** The name of this process's job worker; its connections carry it. */
  worker: string;
  /** False in a process that takes over from one that has served: the database is as this one needs it. */
  isFirst: boolean;
};

/**
 * Opens the database and builds the adapters on it:
 *
 * connection, migrations, indexes → keys and store, checked against the database
 *
 * Throws StartError with one sentence for the operator.
 */
export async function bootstrap(
  { uri, worker, isFirst }: BootstrapOptions,
  deps: BootstrapDeps,
  onShutdown: OnShutdown,
): Promise<Providers> {
  const { env, log } = deps;
  if (isFirst && env.mongodbUri === undefined) await prepareOwnDatabase(env, uri);
  await connect(uri, env, worker);
  onShutdown('connection', () => mongoose.disconnect());
  const now = await startClock(onShutdown);
  if (!isFirst) return openProviders(deps, await readOrMakeKeys(env.dataDir, env.keys, true), now);
  await runMigrations(log);
  await prepareIndexes(log, onShutdown);
  const isUsed = await hasData();
  // A container without a volume would order its certificates anew at each start, until the authority refuses.
  if (!isUsed && env.mongodbUri === undefined) log.info(NEW_DATA, { dataDir: env.dataDir });
  const keys = await readOrMakeKeys(env.dataDir, env.keys, isUsed);
  const providers = await openProviders(deps, keys, now);
  await claimInstallation({ keysFingerprint: providers.secrets.fingerprint, storeId: providers.store.id });
  return providers;
}

async function prepareOwnDatabase(env: Env, uri: string): Promise<void> {
  try {
    await prepareEmbeddedMongo(env.dataDir, uri);
  } catch (error) {
    throw databaseDoesNotStart(env, error);
  }
}

async function startClock(onShutdown: OnShutdown): Promise<() => Date> {
  const clock = await startDatabaseClock();
  onShutdown('clock', async () => clock.stop());
  return clock.now;
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
  { env, log, rateCounters }: BootstrapDeps,
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
