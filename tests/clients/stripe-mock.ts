import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-ports.ts';

const VERSION = 'v0.203.0';
const FETCH_TIMEOUT_MS = 5 * 60_000;

/**
 * Starts Stripe's own mock, built with Go into the cache: it holds every request to the vendor's description, answers the
 * vendor's examples, and remembers nothing. Dispose of it with `await using`.
 */
export async function startStripeMock() {
  const program = await build();
  const port = await freePort();
  const child = spawn(program, ['-http-port', String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const listening = new Promise<void>((resolve) => {
    child.stdout.on('data', (text) => {
      if (String(text).includes('Listening')) resolve();
    });
  });
  await Promise.race([listening, exited]);
  if (child.exitCode !== null) throw new Error(`stripe-mock ended with ${child.exitCode}.`);
  return {
    apiUrl: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}

async function build(): Promise<string> {
  const folder = join(homedir(), '.cache', 'fairlead', `stripe-mock-${VERSION}`);
  const program = join(folder, 'stripe-mock');
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  await promisify(execFile)('go', ['install', `github.com/stripe/stripe-mock@${VERSION}`], {
    env: { ...process.env, GOBIN: folder },
    timeout: FETCH_TIMEOUT_MS,
  });
  return program;
}
