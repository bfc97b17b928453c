import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readMongodSources } from '../../server/boot/env/env.ts';
import { findMongod } from '../../server/database/embedded/mongod-binary.ts';
import { freePort, launchMongod } from '../../server/database/embedded/mongod-process.ts';
import { initiate } from '../../server/database/embedded/replica-set.ts';
import { install, NETLIFY_COMMAND, VERCEL_CLIENT } from '../clients/install.ts';
import { bundlePrograms } from '../support/bundle-programs.ts';
import { loadLine, pinned, stopChild } from './harness.ts';

/**
 * `npm run bench`, or `npm run bench -- api start` for some: runs each `*.bench.ts` in a process of its own, pinned beside
 * the servers that it starts. Fails only when an answer was wrong or a bench broke, never on time.
 */
const FOLDER = 'tests/bench';
/** Run as the product is: from the sources, tsx would name each function anew whenever one is made. */
const SERVERS = resolve('test-results', 'bench-servers');
/** A bench that hangs is ended. On a quiet machine the longest takes a minute and a half, on a busy one several times that. */
const BENCH_TIMEOUT_MS = 600_000;

const QUIET = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error };

type Run = { mongoUri: string; tempFolder: string };

async function startDatabase(dbPath: string): Promise<{ uri: string; stop(): Promise<void> }> {
  const mongod = await findMongod(readMongodSources(process.env), QUIET);
  const port = await freePort();
  const { stop } = await launchMongod({ mongod, dbPath, port, replSet: 'bench' });
  await initiate({ port, replSet: 'bench' });
  return { uri: `mongodb://127.0.0.1:${port}/?directConnection=true`, stop };
}

/** After an interruption the running benchmark is stopped, and no further one begins. */
let isInterrupted = false;
let current: ChildProcess | undefined;

function interrupt(): void {
  isInterrupted = true;
  if (current !== undefined) void stopChild(current);
}

/**
 * A bench leads a group of its own, so that Ctrl-C reaches this process alone and its servers end with it however it ended.
 * All their folders are made in the run's.
 */
async function runBench(file: string, { mongoUri, tempFolder }: Run): Promise<boolean> {
  const [program = process.execPath, ...args] = pinned(1, [process.execPath, '--import', 'tsx', join(FOLDER, file)]);
  const child = spawn(program, args, {
    stdio: 'inherit',
    detached: true,
    env: { ...process.env, BENCH_MONGODB_URI: mongoUri, BENCH_SERVERS: SERVERS, TMPDIR: tempFolder },
  });
  current = child;
  const timer = setTimeout(() => {
    console.error(`${file} took longer than ${BENCH_TIMEOUT_MS / 1000} s and is ended.`);
    void stopChild(child);
  }, BENCH_TIMEOUT_MS);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  endGroup(child);
  if (code !== 0) console.error(`${file} failed.`);
  return code === 0;
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is left in it, as it should be.
  }
}

function versionsLine(): string {
  const names = ['@trpc/server', 'express', 'mongoose', 'ws', 'zod', 'superjson', 'vite', 'react'];
  return names
    .map((name) => `${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version}`)
    .join(', ');
}

const wanted = process.argv.slice(2);
const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.bench.ts'))
  .filter((name) => wanted.length === 0 || wanted.includes(name.replace('.bench.ts', '')));
if (files.length === 0) throw new Error(`There is no bench of that name in ${FOLDER}.`);

console.log(
  `${new Date().toISOString()}, Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model}), ${loadLine()}`,
);
console.log(versionsLine());
const servers = readdirSync(`${FOLDER}/servers`).filter((name) => name.endsWith('.ts'));
await bundlePrograms(
  SERVERS,
  servers.map((name) => `${FOLDER}/servers/${name}`),
);
const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const dbPath = await mkdtemp(join(base, 'fairlead-bench-mongo-'));
const tempFolder = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
// Their installation takes minutes the first time, which is nothing of a bench's.
if (files.includes('deploy.bench.ts')) for (const client of [NETLIFY_COMMAND, VERCEL_CLIENT]) await install(client);
let failed = 0;
let database: Awaited<ReturnType<typeof startDatabase>> | undefined;
try {
  database = await startDatabase(dbPath);
  for (const file of files) {
    if (isInterrupted) break;
    const startedAt = performance.now();
    console.log('');
    if (!(await runBench(file, { mongoUri: database.uri, tempFolder }))) failed += 1;
    console.log(`  ${file}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s, ${loadLine()}`);
  }
} finally {
  await database?.stop();
  for (const folder of [dbPath, tempFolder]) await rm(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 && !isInterrupted ? 0 : 1;
