import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FETCH_TIMEOUT_MS = 5 * 60_000;

/**
 * Returns the folders of programs; those that a plain user has not on the PATH are in the folders of administrators.
 */
export function programFolders(root: string): string[] {
  return ['usr/sbin', 'usr/bin', 'usr/local/sbin'].map((folder) => join(root, folder));
}

/** The folders of libraries below the root of unpacked packages. */
export function libraryFolders(root: string): string[] {
  return ['usr/lib', 'lib'].flatMap((folder) => {
    const path = join(root, folder);
    const inside = existsSync(path) ? readdirSync(path).filter((name) => name.includes('-linux-')) : [];
    return [...inside.map((name) => join(path, name)), path];
  });
}

/**
 * Downloads what the system lacks of these packages with a package list of its own, and unpacks it into `target`: for that
 * apt needs no root, and nothing of the system changes.
 */
export async function unpackPackages(packages: readonly string[], target: string): Promise<void> {
  await mkdir(join(target, '..'), { recursive: true });
  const folder = await mkdtemp(`${target}-`);
  try {
    const state = join(folder, 'apt');
    const root = join(folder, 'root');
    const archives = join(state, 'archives');
    for (const path of [root, join(state, 'lists', 'partial'), join(archives, 'partial')])
      await mkdir(path, { recursive: true });
    const places = [
      `Dir::State::Lists=${join(state, 'lists')}`,
      `Dir::Cache=${state}`,
      `Dir::Cache::Archives=${archives}`,
    ];
    const options = [
      ...places,
      'Debug::NoLocking=1',
      'APT::Sandbox::User=root',
      'Acquire::http::Timeout=20',
      'Acquire::Retries=1',
    ].flatMap((option) => ['-o', option]);
    const apt = (...words: string[]) => run('apt-get', [...options, ...words], { timeout: FETCH_TIMEOUT_MS });
    // One source of several that fails is no reason to do without the others.
    await apt('update').catch(() => undefined);
    await apt('install', '--yes', '--download-only', '--no-install-recommends', ...packages);
    const files = readdirSync(archives).filter((name) => name.endsWith('.deb'));
    for (const file of files) await run('dpkg-deb', ['-x', join(archives, file), root]);
    // Another run may have been faster: its folder is as good.
    await rename(root, target).catch(() => undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
