import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FLAKY } from '../support/reporter.ts';
import { cloudflareClient } from './cloudflare.ts';
import { herokuClient } from './heroku.ts';
import { install, type Packages } from './install.ts';
import { netlifyCommand } from './netlify.ts';
import { octokit } from './octokit.ts';
import { route53Client } from './route53.ts';
import { stripeMock } from './stripe.ts';
import { vercelClient } from './vercel.ts';

/**
 * The vendors' own published clients publish a site to our stand-ins, or write records: a stand-in that satisfies nobody
 * but us is of no worth. Where a vendor publishes a mock of its API instead, our adapter satisfies that. The clients are installed into a cache folder, since they are none of this repository's packages.
 */
export type Client = Packages & {
  /** Publishes or writes with the client below `installed`, in an empty `folder`; throws what is not as it should be. */
  publish(installed: string, folder: string): Promise<void>;
};

const CLIENTS: readonly Client[] = [
  netlifyCommand,
  vercelClient,
  octokit,
  herokuClient,
  cloudflareClient,
  route53Client,
  stripeMock,
];

/** One that fails is tried once more, as a test is, and is named as flaky when it passes then. */
async function run(client: Client): Promise<boolean> {
  const why = await attempt(client);
  if (why === null) return true;
  const isPassed = (await attempt(client)) === null;
  if (isPassed) console.log(`${FLAKY}tests/clients: ${client.name}: ${why}`);
  return isPassed;
}

/** Returns the first line of what is wrong; null where nothing is. */
async function attempt(client: Client): Promise<string | null> {
  const label = client.packages.join(', ') || client.name;
  const folder = await mkdtemp(join(tmpdir(), `fairlead-client-${client.name}-`));
  try {
    await client.publish(client.packages.length === 0 ? folder : await install(client), folder);
    console.log(`✓ ${label}`);
    return null;
  } catch (error) {
    console.error(`✗ ${label}`, error);
    return String(error).split('\n')[0] ?? '';
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
