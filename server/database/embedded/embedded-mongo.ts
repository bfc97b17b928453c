import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, makeFolder, writeDurably } from '../../lib/durable-file.ts';
import type { Log } from '../../lib/log.ts';
import { findMongod, type MongodSources } from './mongod-binary.ts';
import {
  type Credentials,
  freePort,
  launchMongod,
  type MongodProcess,
  runningMongod,
  stopOrphanedMongod,
} from './mongod-process.ts';

/**
 * The database that Fairlead keeps for itself: one `mongod` as a one-node replica set under `DATA_DIR/mongo`, bound to
 * loopback, with access control on. It is started with the app, started again when it dies, and stopped last.
 *
 *   mongo/data              what MongoDB writes
 *   mongo/keyfile           its key file (0600)
 *   mongo/credentials.json  user and password, made at the first start (0600)
 *   mongo/version.json      which MongoDB wrote the data, its feature compatibility version, and the port used last
 */
export type EmbeddedMongo = {
  uri: string;
  /** Returns the process number; undefined while the database is being restarted. */
  pid(): number | undefined;
  stop(): Promise<void>;
};

export type EmbeddedMongoOptions = { dataDir: string; sources: MongodSources; log: Log };

type Marker = { mongodVersion: string; featureCompatibilityVersion: string; port: number };

const DATABASE = 'fairlead';
const MARKER = 'version.json';
export const REPLICA_SET = 'embedded';
const RESTART_DELAYS_MS = [100, 500, 1000, 2000, 5000];

/**
 * Finds a `mongod` that opens the data of this folder, starts it and returns its address; `prepareEmbeddedMongo` comes
 * next, where the driver is loaded (replica-set.ts). Throws NoMongodError when there is none, and an Error with a
 * sentence when it does not start.
 */
export async function startEmbeddedMongo({ dataDir, sources, log }: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const folder = join(dataDir, 'mongo');
  const dbPath = join(folder, 'data');
  await makeFolder(dbPath);
  const marker = await readJson(join(folder, MARKER), asMarker);
  const mongod = await findMongod(sources, log, (version) =>
    canOpen(version, marker?.featureCompatibilityVersion ?? null),
  );
  const credentials = await ownCredentials(folder, dbPath);
  const keyfile = await ownKeyfile(folder);
  // The data folder is locked, so a mongod that still holds it was left by an app that was killed.
  await stopOrphanedMongod(dbPath, log);
  const port = await freePort(marker?.port);
  const launch = (): Promise<MongodProcess> =>
    launchMongod({ mongod, dbPath, port, keyfile, credentials, replSet: REPLICA_SET });

  const first = await launch();
  const supervised = superviseMongod(first, launch, log);
  log.info('Database is running', { version: mongod.version, port, pid: first.pid });
  return { uri: uriOf(port, credentials), pid: supervised.pid, stop: supervised.stop };
}

/** Notes what the next start has to know. */
export async function writeMarker(dataDir: string, marker: Marker): Promise<void> {
  await writePrivately(join(dataDir, 'mongo', MARKER), `${JSON.stringify(marker)}\n`);
}

/** Restarts the process whenever it ends unexpectedly. */
function superviseMongod(
  first: MongodProcess,
  launch: () => Promise<MongodProcess>,
  log: Log,
): Omit<EmbeddedMongo, 'uri'> {
  let current: MongodProcess | undefined = first;
  let isStopping = false;
  let restarting: Promise<void> = Promise.resolve();
  const aborted = new AbortController();

  async function restart(): Promise<void> {
    for (let attempt = 0; !isStopping; attempt += 1) {
      await pause(RESTART_DELAYS_MS[Math.min(attempt, RESTART_DELAYS_MS.length - 1)] ?? 0, aborted.signal);
      if (isStopping) return;
      try {
        const started = await launch();
        current = started;
        watch(started);
        log.info('Database is running again', { pid: started.pid });
        return;
      } catch (error) {
        log.error('Database could not be started again', {
          attempt,
          error: error instanceof Error ? error.message : String(error),
        });
      }
    }
  }

  function watch(process: MongodProcess): void {
    void process.ended.then((how) => {
      if (isStopping) return;
      current = undefined;
      log.warn(`Database ended by itself (${how}); starting it again`);
      restarting = restart();
    });
  }
  watch(first);

  return {
    pid: () => current?.pid,
    async stop() {
      isStopping = true;
      aborted.abort();
      await restarting;
      await current?.stop();
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

/**
 * Returns whether MongoDB's upgrade rules allow it: data of feature compatibility version X open under X and under the
 * next major version, and no other (manual, "Upgrade a replica set to 7.0" and "to 8.0").
 */
export function canOpen(mongodVersion: string, featureCompatibilityVersion: string | null): boolean {
  if (featureCompatibilityVersion === null) return true;
  const [major = 0, minor = 0] = mongodVersion.split('.').map(Number);
  const [dataMajor = 0, dataMinor = 0] = featureCompatibilityVersion.split('.').map(Number);
  return major === dataMajor ? minor >= dataMinor : major === dataMajor + 1;
}

function uriOf(port: number, { user, password }: Credentials): string {
  return `mongodb://${user}:${password}@127.0.0.1:${port}/${DATABASE}?directConnection=true&authSource=admin`;
}

/** Returns the address of this folder's database at its last start; null when there was no start. */
export async function embeddedUri(dataDir: string): Promise<string | null> {
  const folder = join(dataDir, 'mongo');
  const credentials = await readJson(join(folder, 'credentials.json'), asCredentials);
  const marker = await readJson(join(folder, MARKER), asMarker);
  return credentials === null || marker === null ? null : uriOf(marker.port, credentials);
}

/** Returns whether the database of this folder is running on this machine. */
export async function isEmbeddedRunning(dataDir: string): Promise<boolean> {
  return (await runningMongod(join(dataDir, 'mongo', 'data'))) !== null;
}

/**
 * Reads the credentials, or makes them before the first data are written. Throws when there are data without
 * credentials: new ones would open nothing.
 */
async function ownCredentials(folder: string, dbPath: string): Promise<Credentials> {
  const path = join(folder, 'credentials.json');
  const known = await readJson(path, asCredentials);
  if (known !== null) return known;
  if ((await readdir(dbPath)).length > 0)
    throw new Error(`${path} is missing although the database has data; put it back from a backup.`);
  const made: Credentials = { user: 'fairlead', password: randomBytes(32).toString('base64url') };
  await writePrivately(path, `${JSON.stringify(made)}\n`);
  return made;
}

async function ownKeyfile(folder: string): Promise<string> {
  const path = join(folder, 'keyfile');
  const known = await readIfThere(path);
  if (known === null || known === '') await writePrivately(path, randomBytes(96).toString('base64'));
  return path;
}

/** Writes a file whole or not at all, readable by the owner alone. */
async function writePrivately(path: string, text: string): Promise<void> {
  await writeDurably(path, (file) => file.writeFile(text));
}

/** Reads a file; returns null when it does not exist. A file that cannot be read is an error and is never replaced. */
async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw new Error(`${path} cannot be read; make this user its owner.`, { cause: error });
  }
}

async function readJson<T>(path: string, parse: (value: unknown) => T | null): Promise<T | null> {
  const text = await readIfThere(path);
  if (text === null) return null;
  const parsed = parse(jsonOf(text));
  if (parsed === null) throw new Error(`${path} is damaged; put it back from a backup.`);
  return parsed;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asMarker(value: unknown): Marker | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!('mongodVersion' in value && 'featureCompatibilityVersion' in value && 'port' in value)) return null;
  const { mongodVersion, featureCompatibilityVersion, port } = value;
  if (typeof mongodVersion !== 'string' || typeof featureCompatibilityVersion !== 'string') return null;
  return typeof port === 'number' ? { mongodVersion, featureCompatibilityVersion, port } : null;
}

function asCredentials(value: unknown): Credentials | null {
  if (typeof value !== 'object' || value === null || !('user' in value && 'password' in value)) return null;
  const { user, password } = value;
  return typeof user === 'string' && typeof password === 'string' ? { user, password } : null;
}
