import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { readMongodSources } from '../../server/boot/env/env.ts';

const run = promisify(execFile);
const VERSION = 'v2.10.1';
const FETCH_TIMEOUT_MS = 5 * 60_000;

const cacheFolder = join(readMongodSources(process.env).cacheFolder, `pebble-${VERSION}`);

function findIn(folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, 'pebble')).find((path) => existsSync(path));
}

function known(): string | undefined {
  return findIn([...(process.env.PATH ?? '').split(delimiter), cacheFolder]);
}

/** Moves what `make` leaves as `pebble` in a folder of its own into the cache; another run may have been faster. */
async function fetchWith(make: (folder: string) => Promise<void>): Promise<void> {
  await mkdir(join(cacheFolder, '..'), { recursive: true });
  const folder = await mkdtemp(`${cacheFolder}-`);
  try {
    await make(folder);
    await rename(folder, cacheFolder).catch(() => undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function buildWithGo(folder: string): Promise<void> {
  const env = { ...process.env, GOBIN: folder };
  await run('go', ['install', `github.com/letsencrypt/pebble/v2/cmd/pebble@${VERSION}`], {
    env,
    timeout: FETCH_TIMEOUT_MS,
  });
}

/** Debian's package holds a static program, which needs to be unpacked only. */
async function unpackFromDebian(folder: string): Promise<void> {
  await run('apt-get', ['download', 'pebble'], { cwd: folder, timeout: FETCH_TIMEOUT_MS });
  const file = (await readdir(folder)).find((name) => name.endsWith('.deb')) ?? '';
  await run('dpkg-deb', ['-x', file, 'root'], { cwd: folder });
  await rename(join(folder, 'root/usr/bin/pebble'), join(folder, 'pebble'));
}

/**
 * Returns the Pebble of this machine, or builds one with Go, or takes Debian's. Throws an error that says what to install
 * when nothing of that works.
 */
export async function findPebble(): Promise<string> {
  const failures: string[] = [];
  for (const make of [undefined, buildWithGo, unpackFromDebian]) {
    if (make !== undefined) {
      await fetchWith(make).catch((error: Error) => failures.push(error.message.split('\n')[0] ?? ''));
    }
    const found = known();
    if (found !== undefined) return found;
  }
  throw new Error(
    `The tests of certificates need Pebble ${VERSION}, the test authority of Let's Encrypt (${failures.join('; ')}): put it on the PATH, or install Go 1.26, which builds it.`,
  );
}

/** Runs before all tests, so that building it counts against none of them. */
export async function setup(): Promise<void> {
  await findPebble().catch((error: Error) => console.log(error.message));
}
