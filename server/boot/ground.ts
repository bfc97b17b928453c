import { startEmbeddedMongo } from '../database/embedded/embedded-mongo.ts';
import { NoMongodError } from '../database/embedded/mongod-binary.ts';
import type { Log } from '../lib/log.ts';
import { EXIT_CONFIG, EXIT_FAILED, StartError, sentenceOf } from '../lib/start-error.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import type { Env } from './env/env.ts';
import { noteDataFolder } from './noted-folders.ts';
import { refuseTakenPorts } from './ports.ts';
import type { OnShutdown } from './shutdown-stack.ts';

/** Looks at the ports and locks the data folder. Throws StartError with one sentence for the operator. */
export async function openOwnFolder(env: Env, log: Log, onShutdown: OnShutdown): Promise<DataFolder> {
  await refuseTakenPorts(env);
  const data = await openDataFolder(env.dataDir, { onLost: () => endLost(env, log) });
  onShutdown('data folder', data.release);
  // It spares the operator one variable: where the build cannot be written, the command needs DATA_DIR.
  await noteDataFolder(env.dataDir).catch((error: unknown) => {
    log.debug('The path of the data folder could not be saved beside the build', { reason: sentenceOf(error) });
  });
  return data;
}

/** Ends this process because another run has taken over its data folder: two runs would corrupt it. */
function endLost({ dataDir }: Env, log: Log): void {
  log.error('Another Fairlead has taken over DATA_DIR because this one had stopped responding; this one is stopping', {
    dataDir,
  });
  process.exit(EXIT_FAILED);
}

/** Returns the address of the database, which is started when the operator names none; throws StartError. */
export async function openDatabase(env: Env, log: Log, onShutdown: OnShutdown): Promise<string> {
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
    throw databaseDoesNotStart(env, error);
  }
}

/** Returns the error of a start whose own database does not come up. */
export function databaseDoesNotStart({ dataDir }: Env, error: unknown): StartError {
  return new StartError(
    EXIT_FAILED,
    `The database in "${dataDir}/mongo" does not start (${sentenceOf(error)}); look at its files and the space on the disk, or set MONGODB_URI.`,
    error,
  );
}
