import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from '@playwright/test';
import { readMongodSources } from '../../server/boot/env/env.ts';
import { CHROMIUM_ARGS, findChromium } from './chromium.ts';
import { libraryFolders, programFolders, unpackPackages } from './debian-packages.ts';

const run = promisify(execFile);
const PACKAGE = 'libnss3-tools';
const fetchedFolder = join(readMongodSources(process.env).cacheFolder, 'nss-tools');

type Certutil = { path: string; env: NodeJS.ProcessEnv };

function certutilIn(root: string): Certutil | null {
  const ofSystem = (process.env.PATH ?? '').split(delimiter);
  const folders = root === '/' ? ofSystem : programFolders(root);
  const path = folders.map((folder) => join(folder, 'certutil')).find((file) => existsSync(file));
  if (path === undefined) return null;
  const libraries = root === '/' ? {} : { LD_LIBRARY_PATH: libraryFolders(root).join(':') };
  return { path, env: { ...process.env, ...libraries } };
}

/** Returns the program that writes the trust store of Chromium on Linux; throws an error that names its package. */
async function findCertutil(): Promise<Certutil> {
  const found = certutilIn('/') ?? certutilIn(fetchedFolder);
  if (found !== null) return found;
  const failed = await unpackPackages([PACKAGE], fetchedFolder).then(
    () => '',
    (error: Error) => ` (${error.message.split('\n')[0]})`,
  );
  const fetched = certutilIn(fetchedFolder);
  if (fetched !== null) return fetched;
  throw new Error(
    `A browser that trusts a root needs certutil, which was not found or could not be loaded${failed}: install the package ${PACKAGE}.`,
  );
}

/**
 * Returns a Chromium of a visitor who has installed this root, in a home of its own, and who finds these names at
 * 127.0.0.1. Everything else of its trust is as it comes: a certificate of another root is refused.
 */
export async function openTrustingBrowser(
  root: string,
  names: readonly string[],
): Promise<{ browser: Browser } & AsyncDisposable> {
  const certutil = await findCertutil();
  const home = await mkdtemp(join(tmpdir(), 'fairlead-visitor-'));
  const store = join(home, '.pki', 'nssdb');
  await mkdir(store, { recursive: true });
  const rootFile = join(home, 'root.pem');
  await writeFile(rootFile, root);
  const database = ['-d', `sql:${store}`];
  await run(certutil.path, [...database, '-N', '--empty-password'], { env: certutil.env });
  await run(certutil.path, [...database, '-A', '-t', 'C,,', '-n', 'root', '-i', rootFile], { env: certutil.env });
  const rules = names.map((name) => `MAP ${name} 127.0.0.1`).join(',');
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? (await findChromium()),
    args: [...CHROMIUM_ARGS, `--host-resolver-rules=${rules}`],
    env: { ...definedOf(process.env), HOME: home },
  });
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
