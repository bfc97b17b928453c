import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { herokuClient } from './heroku.ts';
import { netlifyCommand } from './netlify.ts';
import { octokit } from './octokit.ts';
import { vercelClient } from './vercel.ts';

/**
 * The vendors' own published clients publish a site to our stand-ins: a stand-in that satisfies nobody but us is of no
 * worth. The clients are installed into a cache folder, since they are none of this repository's packages.
 */
export type Client = {
  /** Also the name of its folder in the cache. */
  name: string;
  /** Packages with their exact versions. */
  packages: readonly string[];
  /** Publishes with the client below `installed`, in an empty `folder`; throws what is not as it should be. */
  publish(installed: string, folder: string): Promise<void>;
};

const OUTPUT_MAX_BYTES = 64 * 1024 ** 2;
const CLIENTS: readonly Client[] = [netlifyCommand, vercelClient, octokit, herokuClient];

/** Where its packages are; a folder that is there is whole, since it gets its name at the end. */
async function install({ name, packages }: Client): Promise<string> {
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

async function run(client: Client): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), `fairlead-client-${client.name}-`));
  try {
    await client.publish(await install(client), folder);
    console.log(`✓ ${client.packages.join(', ')}`);
    return true;
  } catch (error) {
    console.error(`✗ ${client.packages.join(', ')}`, error);
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const chosen = process.argv.slice(2);
let passed = 0;
let failed = 0;
for (const client of CLIENTS.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
  if (await run(client)) passed += 1;
  else failed += 1;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
