import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Packages with their exact versions; `name` is that of their folder in the cache as well. */
export type Packages = { name: string; packages: readonly string[] };

/** Netlify's command, in its last version for Node 20. */
export const NETLIFY_COMMAND: Packages = { name: 'netlify', packages: ['netlify-cli@26.2.0'] };
/** The deploy logic of Vercel's command, as the library that it publishes. */
export const VERCEL_CLIENT: Packages = { name: 'vercel', packages: ['@vercel/client@18.4.2'] };

const OUTPUT_MAX_BYTES = 64 * 1024 ** 2;

/**
 * Returns the folder of packages that are none of this repository's own, installed into a cache. A folder that is there
 * is whole, since it gets its name at the end.
 */
export async function install({ name, packages }: Packages): Promise<string> {
  const folder = join(homedir(), '.cache', 'fairlead', 'clients', `${name} ${packages.join(' ')}`.replaceAll('/', '-'));
  if (!existsSync(folder)) {
    const part = `${folder} ${process.pid}`;
    await mkdir(part, { recursive: true });
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', part];
    await promisify(execFile)('npm', ['install', ...options, ...packages], { maxBuffer: OUTPUT_MAX_BYTES });
    await rename(part, folder);
  }
  return join(folder, 'node_modules');
}
