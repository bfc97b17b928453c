import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../support/free-ports.ts';
import { type Pair, pinned, printRatio, stopChild } from './harness.ts';
import { mongoUri } from './ready.ts';

/** Measures from the start of the process to its first answer, with the database already running. */
const ROUNDS = 9;
const POLL_MS = 3;
const TIMEOUT_MS = 30_000;

function isAnswered(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/api/health', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}

async function untilAnswered(child: ChildProcess, port: number): Promise<number> {
  const startedAt = performance.now();
  while (!(await isAnswered(port))) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`);
    if (performance.now() - startedAt > TIMEOUT_MS) throw new Error('The server did not answer in time.');
    await delay(POLL_MS);
  }
  return performance.now() - startedAt;
}

async function timeStart(script: string, env: NodeJS.ProcessEnv): Promise<number> {
  const { port, sitesPort } = await freePorts();
  const [program = process.execPath, ...args] = pinned(0, [process.execPath, script]);
  const child = spawn(program, args, {
    env: { ...process.env, ...env, PORT: String(port), SITES_PORT: String(sitesPort) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    return await untilAnswered(child, port);
  } finally {
    await stopChild(child);
  }
}

/** The run's server with a database name put into its address. */
function uriOf(database: string): string {
  const uri = new URL(mongoUri());
  uri.pathname = `/${database}`;
  return uri.toString();
}

const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
const startOurs = () => timeStart('dist/server/main.js', { MONGODB_URI: uriOf('bench-start'), DATA_DIR: dataDir });
const startPeer = () => timeStart('tests/bench/servers/minimal.mjs', { MONGODB_URI: uriOf('bench-peer') });
const pairs: Pair[] = [];
try {
  // The first start makes collections, indexes and keys.
  await startOurs();
  await startPeer();
  for (let round = 0; round < ROUNDS; round += 1) pairs.push({ ours: await startOurs(), peer: await startPeer() });
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
console.log('Start to first answer against a minimal Express, tRPC and mongoose server with 24 models');
printRatio('dist/server/main.js, the whole app', pairs, { unit: 'ms', goal: 'at most 1.2' });
