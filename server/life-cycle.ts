import { once } from 'node:events';
import { createServer } from 'node:net';
import mongoose from 'mongoose';
import { openDataFolder, readOrMakeKeys } from './data-folder.ts';
import { startEmbeddedMongo } from './embedded-mongo.ts';
import type { Env } from './env.ts';
import { createHost } from './host/listener.ts';
import { createHttpServer } from './http/server.ts';
import { claimInstallation, hasData } from './installation.ts';
import { createWorker } from './jobs/worker.ts';
import type { Log } from './log.ts';
import { runMigrations } from './migrations/index.ts';
import { buildIndexes, connectMongo, UnfitDatabaseError } from './mongo.ts';
import { NoMongodError } from './mongod-binary.ts';
import { buildProviders } from './providers.ts';
import { createReadiness } from './readiness.ts';
import type { Keys } from './secrets.ts';
import type { Faults, Providers } from './service-context.ts';
import { EXIT_CONFIG, EXIT_FAILED, StartError } from './start-error.ts';

/**
 * The application from the lock on its folder to its open doors, started in order and stopped in reverse:
 *
 *   data folder and lock → database → connection, migrations, indexes → keys and store, checked against the database
 *   → change feed → host → worker → HTTP → ready
 *
 * What was started is stopped again when a later step fails. `stop` may be called at any time, also during the start.
 */
export type LifeCycle = { start(): Promise<void>; stop(): Promise<void> };

export type LifeCycleOptions = {
  env: Env;
  log: Log;
  webRoot: string;
  /** Tests of crashes end the process at a boundary of its work; main.ts has no way to say this. */
  faults?: Faults;
};

export function createLifeCycle({ env, log, webRoot, faults }: LifeCycleOptions): LifeCycle {
  /** What undoes the steps done so far, the last one first. */
  const undo: { what: string; stop(): Promise<void> }[] = [];
  let isOpen = false;
  let stopping: Promise<void> | undefined;

  const began = (what: string, stop: () => Promise<void>): void => {
    // A stop that came in the middle of the start has emptied the list: what comes up now goes down at once.
    if (stopping !== undefined) void stop();
    else undo.push({ what, stop });
  };

  async function start(): Promise<void> {
    await refuseTakenPorts(env);
    const data = await openDataFolder(env.dataDir);
    began('data folder', data.unlock);
    const uri = await openDatabase(env, log, began);
    await connect(uri, env);
    began('connection', () => mongoose.disconnect());
    await runMigrations(log);
    await buildIndexes();
    const keys = await readOrMakeKeys(env.dataDir, env.keys, await hasData());
    const built = await openProviders(env, keys, log);
    const providers = faults === undefined ? built : { ...built, faults };
    await claimInstallation({ keysFingerprint: providers.secrets.fingerprint, storeId: providers.store.id });
    await openDoors(providers);
    isOpen = stopping === undefined;
  }

  async function openDoors(providers: Providers): Promise<void> {
    const { host } = env;
    await providers.changes.start();
    began('change feed', () => providers.changes.stop());
    const sites = createHost(providers, { port: env.sitesPort, host, dataDir: env.dataDir });
    await listening('SITES_PORT', env.sitesPort, env, () => sites.start());
    began('host', () => sites.stop());
    const worker = createWorker(providers);
    await worker.start();
    let resting: Promise<void> | undefined;
    const restWorker = (): Promise<void> => (resting ??= worker.stop());
    began('worker', restWorker);
    const readiness = createReadiness(providers.store, () => isOpen);
    const http = createHttpServer({ providers, port: env.port, host, webRoot, readiness });
    await listening('PORT', env.port, env, () => http.start());
    began('doors', async () => {
      // Together: the worker claims nothing more from the first moment, and its jobs end while requests do.
      await Promise.all([http.stop(), restWorker()]);
    });
  }

  async function stop(): Promise<void> {
    isOpen = false;
    stopping ??= (async () => {
      for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
        await step
          .stop()
          .catch((error: unknown) => log.error(`Stopping failed: ${step?.what}`, { error: sentenceOf(error) }));
      }
    })();
    await stopping;
  }

  return {
    async start() {
      try {
        await start();
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
}

async function openDatabase(
  env: Env,
  log: Log,
  began: (what: string, stop: () => Promise<void>) => void,
): Promise<string> {
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

async function openProviders(env: Env, keys: Keys, log: Log): Promise<Providers> {
  try {
    return await buildProviders(env, { keys, log });
  } catch (error) {
    throw new StartError(
      EXIT_FAILED,
      `${sentenceOf(error)}; give that folder to this user, or set ARTIFACTS_URL to another one.`,
      error,
    );
  }
}

/** Before anything is started: a second start on the same ports is told so without touching the database. */
async function refuseTakenPorts(env: Env): Promise<void> {
  for (const [name, port] of [
    ['PORT', env.port],
    ['SITES_PORT', env.sitesPort],
  ] as const) {
    await listening(name, port, env, async () => {
      const probe = createServer();
      probe.listen(port, env.host);
      await once(probe, 'listening');
      probe.close();
      await once(probe, 'close');
    });
  }
}

/** Runs what listens, and turns the system's refusal into a sentence that names the variable. */
async function listening(
  name: 'PORT' | 'SITES_PORT',
  port: number,
  env: Env,
  listen: () => Promise<void>,
): Promise<void> {
  try {
    await listen();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new StartError(
        EXIT_FAILED,
        `${name} is ${port}, where another program listens already; stop that one, or set ${name} to a free port.`,
        error,
      );
    }
    if (code === 'EACCES') {
      throw new StartError(
        EXIT_FAILED,
        `${name} is ${port}, which this user may not listen on; set ${name} to a port above 1023.`,
        error,
      );
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new StartError(
        EXIT_CONFIG,
        `HOST is "${env.host ?? ''}", which is no address of this machine; set it to one, or leave it unset.`,
        error,
      );
    }
    throw error;
  }
}

export function sentenceOf(error: unknown): string {
  return ((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '').replace(/[.\s]+$/, '');
}
